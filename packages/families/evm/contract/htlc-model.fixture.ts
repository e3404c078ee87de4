// A model of the HTLC without a chain: orders in a map, balances as sums. Tests compare the contracts with it after each step.
import { type Address, type Hex, zeroAddress } from 'viem'
import type { HtlcOrder } from './htlc-order.fixture.ts'

type ModelState = 'open' | 'redeemed' | 'refunded' | 'revoked'

interface ModelOrder {
  readonly order: HtlcOrder
  readonly openedAt: bigint
  state: ModelState
}

export interface HtlcModel {
  /** The name of the error with which the contract must revert; null if it must succeed. */
  open(order: HtlcOrder, now: bigint): string | null
  redeem(order: HtlcOrder): string | null
  /** What the redeemer is paid. */
  redeemBatch(redeemer: Address, orders: readonly HtlcOrder[]): bigint
  refund(order: HtlcOrder, now: bigint): string | null
  instantRefund(order: HtlcOrder, hasConsent: boolean): string | null
  /** By the initiator of the order. */
  revoke(order: HtlcOrder): string | null
  /** As the contract stores it: zero, the two marks, or the time of initiation. */
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
    open(order, now) {
      if (order.redeemer === zeroAddress) return 'HTLC__ZeroAddressRedeemer'
      if (order.initiator === order.redeemer) return 'HTLC__SameInitiatorAndRedeemer'
      if (order.timelock < 1n || order.timelock > maxTimelock) return 'HTLC__InvalidTimelock'
      if (order.amount === 0n) return 'HTLC__ZeroAmount'
      if (orders.has(orderId(order))) return 'HTLC__DuplicateOrder'
      orders.set(orderId(order), { order, openedAt: now, state: 'open' })
      return null
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
