/** The HTLC for tokens of HyperCore on the simulator: a new one for each test, its orders, and who gained what. */
import type { Address, Hex } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { htlcCore } from '../../../contracts/evm/artifacts/htlc-core.ts'
import { coreTokens } from '../../../devnet/hypercore/core-state-machine.ts'
import { depositAddressOf } from './htlc.ts'
import { type CoreOrder, createCoreOrder, type OrderChange, onDeposit, refusalOf, transfer } from './htlc-core-order.fixture.ts'
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

  const call = (party: TestParty, data: Hex) => send(party, contract.address, data)
  const pay = (order: CoreOrder, evmAmount: bigint) =>
    send(fixture.user, contract.token, transfer(depositAddressOf(contract, order.swap), evmAmount))

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
    pay,
    /** Another HTLC of the token, or of another token, with an account on HyperCore of its own. */
    async makeTwin(coreToken: bigint = coreTokens.purr, token = fixture.contract.token): Promise<void> {
      contract = { ...contract, address: await fixture.deploy(htlcCore, [coreToken]), token }
      await fixture.faucet.fundSpot(contract.address, coreTokens.usdc, 1n)
    },
    refusal: (from: Address, data: Hex, to: Address | null = contract.address) => refusalOf(fixture, from, data, to),
    async opened(change: OrderChange = {}): Promise<CoreOrder> {
      const order = newOrder(change)
      expect(await pay(order, order.swap.terms.amount * EVM_PER_CORE)).toBe(true)
      expect(await call(fixture.relay, onDeposit('initiateFromDeposit', order))).toBe(true)
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
