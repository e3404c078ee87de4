// Runs one random sequence of calls against an HTLC, beside a model of orders. Each call must end as it does in the model.
import { type Address, type Hex, type PrivateKeyAccount, toHex, zeroAddress } from 'viem'
import { expect } from 'vitest'
import {
  computeOrderId,
  createOrder,
  type HtlcDomain,
  type HtlcOrder,
  htlcCall,
  initiateTypedData,
  refundTypedData,
} from './htlc-order.fixture.ts'
import type { Account, HtlcCalls, StepOf, Terms, Twist } from './htlc-steps.fixture.ts'

export interface HtlcRunOptions<Party extends number> {
  readonly domain: HtlcDomain
  readonly accounts: readonly [PrivateKeyAccount, PrivateKeyAccount, PrivateKeyAccount]
  addressOf(party: Party | Account): Address
  now(): bigint
  mine(caller: Account, data: Hex, order?: HtlcOrder): Promise<string | null>
  give(owner: Address, amount: bigint): void
  refusal?(order: HtlcOrder): string | null
  takeSigned?(initiator: Address, amount: bigint): boolean
}

export type HtlcRun<Party extends number> = ReturnType<typeof createHtlcRun<Party>>

const { secret, secretHash } = createOrder({ initiator: zeroAddress, redeemer: zeroAddress })
const wrongSecret = { secret, secretHash }

export function createHtlcRun<Party extends number>(options: HtlcRunOptions<Party>) {
  const { domain, accounts, addressOf, now, mine, give, refusal = () => null, takeSigned = () => false } = options
  const model = createHtlcModel((order) => computeOrderId(domain, order))
  const mentioned: HtlcOrder[] = []

  const orderOf = (terms: Terms<Party | Account>): HtlcOrder => {
    const secret = toHex(terms.secret, { size: 32 })
    const order = createOrder({ ...terms, initiator: addressOf(terms.initiator), redeemer: addressOf(terms.redeemer), secret })
    mentioned.push(order)
    return order
  }
  const picked = (pick: number, twist: Twist = 'none'): HtlcOrder => {
    const order = mentioned[pick % mentioned.length] ?? orderOf({ initiator: 0, redeemer: 1, timelock: 60n, amount: 1n, secret: 0 })
    const twisted: Record<Twist, Partial<HtlcOrder>> = {
      none: {},
      secret: wrongSecret,
      amount: { amount: order.amount + 1n },
      redeemer: { redeemer: addressOf(2) },
      timelock: { timelock: order.timelock === 60n ? 1n : 60n },
    }
    return { ...order, ...twisted[twist] }
  }
  const open = (order: HtlcOrder) => refusal(order) ?? model.open(order, now())

  async function initiate(caller: Account, data: Hex, order: HtlcOrder, expected: string | null, pay: () => void): Promise<void> {
    expect(await mine(caller, data, order)).toBe(expected)
    if (expected === null) pay()
  }

  async function settle(caller: Account, payee: Address, amount: bigint, data: Hex, expected: string | null): Promise<void> {
    expect(await mine(caller, data)).toBe(expected)
    if (expected === null) give(payee, amount)
  }

  const actions: { readonly [Call in keyof HtlcCalls<Party>]: (step: StepOf<HtlcCalls<Party>, Call>) => Promise<void> } = {
    async initiate({ caller, terms }) {
      const order = orderOf({ ...terms, initiator: caller })
      await initiate(caller, htlcCall.initiate(order), order, open(order), () => give(order.initiator, -order.amount))
    },
    async initiateOnBehalf({ caller, terms }) {
      const order = orderOf(terms)
      const expected = order.initiator === zeroAddress ? 'HTLC__ZeroAddressInitiator' : open(order)
      await initiate(caller, htlcCall.initiateOnBehalf(order), order, expected, () => give(addressOf(caller), -order.amount))
    },
    async initiateWithSignature({ caller, signer, terms }) {
      const order = orderOf(terms)
      const signature = await accounts[signer].signTypedData(initiateTypedData(domain, order))
      const expected = addressOf(signer) === order.initiator ? open(order) : 'HTLC__InvalidSignature'
      await initiate(caller, htlcCall.initiateWithSignature(order, signature), order, expected, () => {
        if (!takeSigned(order.initiator, order.amount)) give(order.initiator, -order.amount)
      })
    },
    async redeem({ caller, pick, twist }) {
      const order = picked(pick, twist)
      await settle(caller, order.redeemer, order.amount, htlcCall.redeem(order), model.redeem(order))
    },
    async redeemBatch({ caller, redeemer, picks }) {
      const orders = picks.map((pick) => picked(pick))
      const to = addressOf(redeemer)
      await settle(caller, to, model.redeemBatch(to, orders), htlcCall.redeemBatch(to, orders), null)
    },
    async refund({ caller, pick, twist }) {
      const order = picked(pick, twist)
      await settle(caller, order.initiator, order.amount, htlcCall.refund(order), model.refund(order, now()))
    },
    async instantRefund({ caller, signer, pick, twist }) {
      const order = picked(pick, twist)
      const signature = await accounts[signer].signTypedData(refundTypedData(domain, order))
      const hasConsent = [addressOf(signer), addressOf(caller)].includes(order.redeemer)
      const expected = model.instantRefund(order, hasConsent)
      await settle(caller, order.initiator, order.amount, htlcCall.instantRefund(order, signature), expected)
    },
    async revoke({ caller, terms }) {
      const order = orderOf({ ...terms, initiator: caller })
      expect(await mine(caller, htlcCall.revoke(order))).toBe(model.revoke(order))
    },
  }

  return {
    model,
    actions,
    orderOf,
    picked,
    mentioned: mentioned as readonly HtlcOrder[],
    /** After its timelock every open order can be refunded, and no settled order is paid again. `nextBlock` gives each block's time. */
    async windUp(nextBlock: () => Promise<void> = async () => undefined): Promise<void> {
      for (const order of model.openOrders()) {
        await nextBlock()
        await settle(0, order.initiator, order.amount, htlcCall.refund(order), model.refund(order, now()))
      }
      for (const order of model.knownOrders()) {
        await nextBlock()
        const otherWay = model.storedState(order) === 1n ? htlcCall.refund(order) : htlcCall.redeem(order)
        await settle(1, order.redeemer, order.amount, otherWay, 'HTLC__OrderSettled')
      }
      expect(model.locked()).toBe(0n)
    },
  }
}

type ModelState = 'open' | 'redeemed' | 'refunded' | 'revoked'

interface ModelOrder {
  readonly order: HtlcOrder
  readonly openedAt: bigint
  state: ModelState
}

export interface HtlcModel {
  /** The contract must revert with this error. Null means that it must succeed. */
  refusalToOpen(order: HtlcOrder): string | null
  open(order: HtlcOrder, now: bigint): string | null
  redeem(order: HtlcOrder): string | null
  redeemBatch(redeemer: Address, orders: readonly HtlcOrder[]): bigint
  refund(order: HtlcOrder, now: bigint): string | null
  instantRefund(order: HtlcOrder, hasConsent: boolean): string | null
  revoke(order: HtlcOrder): string | null
  /** The contract stores zero, one of the two marks, or the time of initiation. */
  storedState(order: HtlcOrder): bigint
  openOrders(): readonly HtlcOrder[]
  knownOrders(): readonly HtlcOrder[]
  locked(): bigint
}

const maxTimelock = 30n * 86_400n

export function createHtlcModel(orderId: (order: HtlcOrder) => Hex): HtlcModel {
  const orders = new Map<Hex, ModelOrder>()
  const openOrders = () => [...orders.values()].filter(({ state }) => state === 'open').map(({ order }) => order)

  function settle(order: HtlcOrder, state: ModelState, mayHappen: (openedAt: bigint) => string | null): string | null {
    const known = orders.get(orderId(order))
    if (known === undefined) return 'HTLC__OrderNotInitiated'
    if (known.state !== 'open') return 'HTLC__OrderSettled'
    const refusal = mayHappen(known.openedAt)
    if (refusal === null) known.state = state
    return refusal
  }

  const model: HtlcModel = {
    refusalToOpen(order) {
      if (order.redeemer === zeroAddress) return 'HTLC__ZeroAddressRedeemer'
      if (order.initiator === order.redeemer) return 'HTLC__SameInitiatorAndRedeemer'
      if (order.timelock < 1n || order.timelock > maxTimelock) return 'HTLC__InvalidTimelock'
      if (order.amount === 0n) return 'HTLC__ZeroAmount'
      return orders.has(orderId(order)) ? 'HTLC__DuplicateOrder' : null
    },
    open(order, now) {
      const refusal = model.refusalToOpen(order)
      if (refusal === null) orders.set(orderId(order), { order, openedAt: now, state: 'open' })
      return refusal
    },
    redeem: (order) => settle(order, 'redeemed', () => null),
    redeemBatch(redeemer, items) {
      const redeemed = items.filter((item) => model.redeem({ ...item, redeemer }) === null)
      return redeemed.reduce((sum, { amount }) => sum + amount, 0n)
    },
    refund: (order, now) => settle(order, 'refunded', (openedAt) => (now < openedAt + order.timelock ? 'HTLC__OrderNotExpired' : null)),
    instantRefund: (order, hasConsent) => settle(order, 'refunded', () => (hasConsent ? null : 'HTLC__InvalidSignature')),
    revoke(order) {
      if (orders.has(orderId(order))) return 'HTLC__DuplicateOrder'
      orders.set(orderId(order), { order, openedAt: 0n, state: 'revoked' })
      return null
    },
    storedState(order) {
      const known = orders.get(orderId(order))
      if (known === undefined) return 0n
      return known.state === 'open' ? known.openedAt : known.state === 'redeemed' ? 1n : 2n
    },
    openOrders,
    knownOrders: () => [...orders.values()].map(({ order }) => order),
    locked: () => openOrders().reduce((sum, { amount }) => sum + amount, 0n),
  }
  return model
}
