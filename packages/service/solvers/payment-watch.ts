/** Records whether solvers pay for the orders that they took, once users have funded them. It is only in memory: a restart forgets open observations. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import { createWatchedSwaps } from '@tandem/party/engine/watched-swaps.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { noteRefusedPayout } from '@tandem/party/store/orders/failed-payouts.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Order } from '@tandem/protocol/order.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import type { SolverPool } from './pool.ts'
import { type OfferKey, offerKey } from './refused-offers.ts'

export type PaymentWatchOptions = {
  readonly pool: Pick<SolverPool, 'find' | 'recordFunded'>
  /** Another process may have derived the state. Resolves to null if there is no such order. */
  readonly readState: (orderId: string) => Promise<OrderState | null>
  readonly tryPayout: PayoutTrial
  readonly isPaymentInMempool: MempoolPaymentCheck
  readonly log: Pick<Logger, 'warn'>
  /** The clock must be monotonic. */
  readonly nowMs?: () => number
}

/** This is the time of ten blocks of the slowest chain that shows a payment only once it is mined. */
const PAYMENT_TIMEOUT_MS = 120_000
const MAX_REMEMBERED = 20_000

/** The result must be called with every state that the engine derives, and regularly with none. */
export function createPaymentWatch(options: PaymentWatchOptions): (states: readonly OrderState[]) => void {
  const { pool, readState, tryPayout, isPaymentInMempool, log, nowMs = () => performance.now() } = options
  /** These funded orders wait for the solver, the oldest first; the value is the time since when. */
  const waiting = new Map<string, number>()
  const declined = new Set<string>()
  /** These unpaid orders were counted against their solvers, the oldest first. Each counts once, however long it stays open. */
  const blamed = new Set<string>()

  function observe(state: OrderState): void {
    const { id, solverId } = state.order
    if (isUnpaid(state)) {
      if (!waiting.has(id) && !blamed.has(id) && waiting.size < MAX_REMEMBERED) {
        waiting.set(id, nowMs())
        pool.recordFunded(keyOf(state), solverId)
      }
    } else if ((waiting.delete(id) || blamed.delete(id)) && isPaid(state)) pool.find(solverId)?.orderPaid()
    if (!isDeclined(state) || declined.has(id)) return
    if (declined.size >= MAX_REMEMBERED) declined.clear()
    declined.add(id)
    judgeDecline(state).catch((error: unknown) =>
      log.warn({ order: id, err: error }, 'cannot check whether the solver had to decline an order'),
    )
  }

  /** No solver can pay a recipient that rejects the money. */
  async function judgeDecline({ order }: OrderState): Promise<void> {
    const obstacle = await tryPayout(order)
    if (obstacle === null) pool.find(order.solverId)?.quoteBroken()
    else log.warn({ order: order.id, reason: obstacle }, 'a declined order cannot be paid: this does not count against its solver')
  }

  async function judge(orderId: string): Promise<void> {
    const state = await readState(orderId)
    if (state === null) return
    const member = pool.find(state.order.solverId)
    if (isPaid(state)) member?.orderPaid()
    if (isPaid(state) || !isUnpaid(state)) return
    // The watcher may not have read this address yet, so a payment that it has not seen may exist.
    if (await isPaymentInMempool(state.order)) return member?.orderPaid()
    member?.orderUnpaid()
    blamed.add(orderId)
    for (const oldest of blamed) if (blamed.size > MAX_REMEMBERED) blamed.delete(oldest)
  }

  return (states) => {
    for (const state of states) observe(state)
    for (const [orderId, since] of waiting) {
      if (nowMs() - since < PAYMENT_TIMEOUT_MS) break
      waiting.delete(orderId)
      judge(orderId).catch((error: unknown) => {
        log.warn({ order: orderId, err: error }, 'cannot check whether the solver pays for an order; will retry')
        waiting.set(orderId, nowMs())
      })
    }
  }
}

/** While a chain makes no blocks, waiting is not the solver's fault. */
function isUnpaid({ status, chainsAlive }: OrderState): boolean {
  return status === 'initiated' && chainsAlive
}

function isPaid({ destination }: OrderState): boolean {
  return destination.deposits.length > 0
}

function keyOf({ order: { source, destination } }: OrderState): OfferKey {
  const users = { source: { address: source.userAddress }, destination: { address: destination.userAddress } }
  return offerKey({ source: source.terms.asset, destination: destination.terms.asset }, users, source.agreedAmount)
}

/** Returns true if the solver took the order, the user funded it in time, and the solver then declined it. */
function isDeclined({ declined, fundedInTime, destination, order, source }: OrderState): boolean {
  const inTime = fundedInTime && source.counted.every(({ block }) => block !== null && block.time <= order.priceExpiresAt)
  return declined !== null && inTime && destination.deposits.length === 0
}

/** Rejects if the nodes do not answer: a payment that was not read is not a missing one. Mined payments are recorded, so only the mempool is read. */
export type MempoolPaymentCheck = (order: Order) => Promise<boolean>

export function createMempoolPaymentCheck(clients: ReadonlyMap<ChainId, ChainClient>): MempoolPaymentCheck {
  return async ({ destination: { chain, swapId, terms } }) => {
    const { unconfirmedEvents } = clientFor(clients, chain)
    const events = (await unconfirmedEvents?.(createWatchedSwaps([{ swapId, terms, deposits: [] }]))) ?? []
    return events.some((event) => event.kind === 'initiated' && event.swapId === swapId)
  }
}

/** Resolves to the reason why the order cannot be paid, or null. Throws `ChainFailure` if the nodes do not answer. */
export type PayoutTrial = (order: Order) => Promise<string | null>

/** A recipient that rejects the payout counts for the limits of recipients, owners and apps, which bound how often this excuses a decline. */
export function createPayoutTrial(context: { readonly db: Database; readonly clients: ReadonlyMap<ChainId, ChainClient> }): PayoutTrial {
  return async ({ id, destination: { chain, terms } }) => {
    const { checkRecipient } = clientFor(context.clients, chain)
    const payout = { amount: terms.amount, payer: terms.initiator, isTrusted: true }
    const obstacle = (await checkRecipient?.(terms.redeemer, terms.asset, payout)) ?? null
    if (obstacle !== null) await noteRefusedPayout(context.db, id)
    return obstacle
  }
}
