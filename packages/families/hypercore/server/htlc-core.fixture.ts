/** The HTLC for tokens of HyperCore on the simulator: a new one for each test, its orders, and who gained what. */

import { htlcCore } from '@tandem/evm/contract/artifacts/htlc-core.ts'
import { initiateTypedData, orderIdOf } from '@tandem/evm/terms/htlc.ts'
import type { Address, Hex } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { coreTokens } from '../local/core-state-machine.ts'
import { CORE_WRITER, spotSendData } from '../terms/core.ts'
import { accountAt } from '../terms/htlc.ts'
import { type CoreOrder, createCoreOrder, type OrderChange, refusalOf, signedInitiating, transfer } from './htlc-core-order.fixture.ts'
import { createHypercoreFixture, EVM_PER_CORE, type HypercoreFixture, type TestParty } from './hypercore.fixture.ts'

export const AMOUNT = 1_000_000n
/** Seconds in which an order may be funded. */
export const WINDOW = 3_600n

export const onCore = { spot: AMOUNT, evm: 0n }
export const onEvm = { spot: 0n, evm: AMOUNT * EVM_PER_CORE }

export function useHtlcCore() {
  let fixture: HypercoreFixture
  /** The HTLC under test. */
  let contract: HypercoreFixture['contract']
  let now: bigint
  let snapshot: unknown
  beforeAll(async () => {
    fixture = await createHypercoreFixture()
  })
  afterAll(() => fixture.close())
  beforeEach(async () => {
    snapshot = await fixture.local.request({ method: 'evm_snapshot' })
    contract = fixture.contract
    now = await timeNow()
  })
  afterEach(async () => {
    await fixture.local.request({ method: 'evm_revert', params: [snapshot] })
  })

  async function timeNow(): Promise<bigint> {
    const block = (await fixture.local.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })) as { timestamp: Hex }
    return BigInt(block.timestamp)
  }

  const newOrder = (change: OrderChange = {}) =>
    createCoreOrder(fixture, { redeemer: fixture.solver.address, amount: AMOUNT, ...change }, now + WINDOW)

  /** Mined together with all pending transactions. */
  async function send(
    party: TestParty,
    to: Address,
    data: Hex,
    more: { readonly value?: bigint; readonly gas?: bigint } = {},
  ): Promise<boolean> {
    const hash = await fixture.sendAs(party, { to, data, ...more })
    await fixture.mine()
    const receipt = (await fixture.local.request({ method: 'eth_getTransactionReceipt', params: [hash] })) as { status: Hex }
    return receipt.status === '0x1'
  }

  const call = (party: TestParty, data: Hex, more: { readonly value?: bigint } = {}) => send(party, contract.address, data, more)
  const account = (owner: Address = fixture.user.address) => accountAt(contract, owner)
  /** The ERC-20 to the account of the user, as if it had crossed. */
  const payOnEvm = (evmAmount: bigint) => send(fixture.user, contract.token, transfer(account(), evmAmount))
  /** As `core_to_evm_transfer` does. */
  const payOnCore = (amount: bigint, party: TestParty = fixture.user) =>
    send(party, CORE_WRITER, spotSendData({ to: account(), token: coreTokens.purr, amount }))
  const sign = ({ swap }: CoreOrder, party: TestParty = fixture.user) =>
    party.account.signTypedData(JSON.parse(JSON.stringify(initiateTypedData(contract, swap.terms))))

  return {
    get fixture() {
      return fixture
    },
    get contract() {
      return contract
    },
    set contract(other) {
      contract = other
    },
    get now() {
      return now
    },
    timeNow,
    newOrder,
    send,
    call,
    account,
    payOnEvm,
    payOnCore,
    sign,
    idOf: ({ swap }: CoreOrder) => orderIdOf(contract, swap.terms),
    /** Another HTLC of the token, or of another token, with an account on HyperCore of its own. */
    async makeTwin(coreToken: bigint = coreTokens.purr, token = fixture.contract.token): Promise<void> {
      contract = { ...contract, address: await fixture.deploy(htlcCore, [coreToken]), token }
      await fixture.faucet.fundSpot(contract.address, coreTokens.usdc, 1n)
    },
    refusal: (from: Address, data: Hex, to: Address | null = contract.address) => refusalOf(fixture, from, data, to),
    async opened(change: OrderChange = {}): Promise<CoreOrder> {
      const order = newOrder(change)
      expect(await payOnEvm(order.swap.terms.amount * EVM_PER_CORE)).toBe(true)
      expect(await call(fixture.relay, signedInitiating(order, await sign(order)))).toBe(true)
      return order
    },
    /** The change on each side of an account, in its own units. */
    async gainOf(owner: Address, act: () => Promise<unknown>): Promise<{ readonly spot: bigint; readonly evm: bigint }> {
      const before = [await fixture.spotBalance(owner), await fixture.evmBalance(owner)] as const
      const stranded = await fixture.spotBalance(contract.address)
      await act()
      // Nothing may stay in the contract's own account on HyperCore: nothing can be sent from there.
      expect(await fixture.spotBalance(contract.address)).toBe(stranded)
      return { spot: (await fixture.spotBalance(owner)) - before[0], evm: (await fixture.evmBalance(owner)) - before[1] }
    },
  }
}
