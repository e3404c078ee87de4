// Sets up the HTLC for tokens of HyperCore on the simulator: its orders, the payments to an owner's account, and the gain of an owner.

import { deepEqual, equal } from 'node:assert/strict'
import { htlcCore } from '@tandem/evm/contract/artifacts/htlc-core.ts'
import { initiateTypedData, orderIdOf } from '@tandem/evm/terms/htlc.ts'
import { type Address, decodeEventLog, decodeFunctionResult, encodeFunctionData, type Hex, type RpcTransactionReceipt } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { coreTokens } from '../local/core-state-machine.ts'
import { CORE_WRITER, SPOT_BALANCE, spotBalanceInput, spotSendData } from '../terms/core.ts'
import { type CoreOrder, createCoreOrder, type OrderChange, refusalOf, signedInitiating, transfer } from './htlc-core-order.fixture.ts'
import { createHypercoreFixture, EVM_PER_CORE, type HypercoreFixture, type TestParty } from './hypercore.fixture.ts'

export const AMOUNT = 1_000_000n
export const EVM_AMOUNT = AMOUNT * EVM_PER_CORE
/** An order may be funded for this many seconds. */
export const WINDOW = 3_600n
/** A transfer to HyperEVM costs less. */
export const HYPE = 10n ** 16n

export const NOTHING = { spot: 0n, evm: 0n }
export const onCore = { spot: AMOUNT, evm: 0n }
export const onEvm = { spot: 0n, evm: EVM_AMOUNT }

type Extras = { readonly value?: bigint; readonly gas?: bigint }

/** Tests replace the parts, so they are read at each call. */
export type CoreUnderTest = { readonly fixture: HypercoreFixture; readonly contract: HypercoreFixture['contract'] }
export type CorePlay = ReturnType<typeof createCorePlay>

export function createCorePlay(tested: CoreUnderTest) {
  const request = (call: { readonly method: string; readonly params?: unknown[] }) => tested.fixture.local.request(call)
  const ask = async (to: Address, data: Hex) => (await request({ method: 'eth_call', params: [{ to, data }, 'latest'] })) as Hex
  const askHtlc = (data: Hex) => ask(tested.contract.address, data)

  async function send(party: TestParty, to: Address, data: Hex, extras: Extras = {}): Promise<RpcTransactionReceipt> {
    const hash = await tested.fixture.sendAs(party, { to, data, gas: 1_500_000n, ...extras })
    await tested.fixture.mine()
    return (await request({ method: 'eth_getTransactionReceipt', params: [hash] })) as RpcTransactionReceipt
  }

  async function call(party: TestParty, data: Hex, extras: Extras = {}): Promise<RpcTransactionReceipt> {
    const receipt = await send(party, tested.contract.address, data, extras)
    equal(receipt.status, '0x1')
    return receipt
  }

  const account = async (owner: Address = tested.fixture.user.address) =>
    `0x${(await askHtlc(encodeFunctionData({ abi: htlcCore.abi, functionName: 'accountOf', args: [owner] }))).slice(26)}` as Address
  const idOf = ({ swap }: CoreOrder) => orderIdOf(tested.contract, swap.terms)
  const sign = ({ swap }: CoreOrder, party: TestParty = tested.fixture.user) =>
    party.account.signTypedData(JSON.parse(JSON.stringify(initiateTypedData(tested.contract, swap.terms))))

  async function newOrder(change: OrderChange = {}): Promise<CoreOrder> {
    const block = (await request({ method: 'eth_getBlockByNumber', params: ['latest', false] })) as { timestamp: Hex }
    const { fixture } = tested
    return createCoreOrder(fixture, { redeemer: fixture.solver.address, amount: AMOUNT, ...change }, BigInt(block.timestamp) + WINDOW)
  }

  const payOnEvm = async (evmAmount = EVM_AMOUNT) =>
    equal((await send(tested.fixture.user, tested.contract.token, transfer(await account(), evmAmount))).status, '0x1')

  /** The gain is the change on each side of an owner's balance, in its own units. */
  async function gainOf(owner: Address, act: () => Promise<unknown>): Promise<{ readonly spot: bigint; readonly evm: bigint }> {
    const { fixture, contract } = tested
    const before = [await fixture.spotBalance(owner), await fixture.evmBalance(owner)] as const
    const stranded = await fixture.spotBalance(contract.address)
    await act()
    // Nothing may stay in the contract's own account on HyperCore: nothing can be sent from there.
    equal(await fixture.spotBalance(contract.address), stranded)
    return { spot: (await fixture.spotBalance(owner)) - before[0], evm: (await fixture.evmBalance(owner)) - before[1] }
  }

  return {
    ask,
    send,
    call,
    account,
    idOf,
    sign,
    newOrder,
    payOnEvm,
    gainOf,
    payOnCore: async (amount = AMOUNT) =>
      send(tested.fixture.user, CORE_WRITER, spotSendData({ to: await account(), token: coreTokens.purr, amount })),
    refusal: (from: Address, data: Hex, to: Address | null = tested.contract.address) => refusalOf(tested.fixture, from, data, to),
    refuses: async (from: TestParty, data: Hex, error: string) =>
      equal(await refusalOf(tested.fixture, from.address, data, tested.contract.address), error),
    gains: async (owner: Address, expected: { readonly spot: bigint; readonly evm: bigint }, act: () => Promise<unknown>) =>
      deepEqual(await gainOf(owner, act), expected),
    async open(change: OrderChange = {}): Promise<CoreOrder> {
      const order = await newOrder(change)
      await payOnEvm(order.swap.terms.amount * EVM_PER_CORE)
      await call(tested.fixture.relay, signedInitiating(order, await sign(order)))
      return order
    },
    async isOpen(order: CoreOrder): Promise<boolean> {
      return BigInt(await askHtlc(encodeFunctionData({ abi: htlcCore.abi, functionName: 'initiatedAt', args: [idOf(order)] }))) > 2n
    },
    async held(owner: Address = tested.fixture.user.address) {
      const at = await account(owner)
      return { spot: await tested.fixture.spotBalance(at), evm: await tested.fixture.evmBalance(at) }
    },
    async heldFor(...orders: readonly CoreOrder[]) {
      const args = [orders.map(() => tested.fixture.user.address), orders.map(idOf)] as const
      const read = { abi: htlcCore.abi, functionName: 'heldFor', args } as const
      return decodeFunctionResult({ ...read, data: await askHtlc(encodeFunctionData(read)) })
    },
    coinsOf: async (owner: Address) => BigInt((await request({ method: 'eth_getBalance', params: [owner, 'latest'] })) as Hex),
    hypeOf: async (owner: Address) => BigInt((await ask(SPOT_BALANCE, spotBalanceInput(owner, coreTokens.hype))).slice(0, 66)),
    eventsOf: ({ logs }: RpcTransactionReceipt) =>
      logs
        .filter(({ address }) => address.toLowerCase() === tested.contract.address)
        .map(({ data, topics }) => decodeEventLog({ abi: htlcCore.abi, data, topics })),
    async undone(act: () => Promise<void>): Promise<void> {
      const start = await request({ method: 'evm_snapshot' })
      await act()
      await request({ method: 'evm_revert', params: [start] })
    },
  }
}

/** A file of tests shares one chain. Each test begins in its first state. */
export function useHtlcCore() {
  let fixture: HypercoreFixture
  let contract: HypercoreFixture['contract']
  let snapshot: unknown
  beforeAll(async () => {
    fixture = await createHypercoreFixture()
  })
  afterAll(() => fixture.close())
  beforeEach(async () => {
    snapshot = await fixture.local.request({ method: 'evm_snapshot' })
    contract = fixture.contract
  })
  afterEach(async () => {
    await fixture.local.request({ method: 'evm_revert', params: [snapshot] })
  })
  const tested = {
    get fixture() {
      return fixture
    },
    get contract() {
      return contract
    },
    set contract(other) {
      contract = other
    },
    /** The twin is an HTLC of the token, or of another one, with an account on HyperCore of its own. */
    async makeTwin(coreToken: bigint = coreTokens.purr, token = fixture.contract.token): Promise<void> {
      contract = { ...contract, address: await fixture.deploy(htlcCore, [coreToken]), token }
      await fixture.faucet.fundSpot(contract.address, coreTokens.usdc, 1n)
    },
  }
  return Object.defineProperties(createCorePlay(tested), Object.getOwnPropertyDescriptors(tested)) as CorePlay & typeof tested
}
