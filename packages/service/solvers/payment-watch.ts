/** Notes whether solvers pay for the orders that they took, once users have funded them. In memory: a restart forgets what was not noted yet. */

import type { OrderState } from '@tandem/protocol/state.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import type { PaymentLook } from './payment-look.ts'
import type { PayoutTrial } from './payout-trial.ts'
import type { SolverPool } from './pool.ts'
import { type OfferKey, offerKey } from './refused-offers.ts'

export type PaymentWatchOptions = {
  readonly pool: Pick<SolverPool, 'find' | 'noteFunded'>
  /** The state now: another process may have derived it meanwhile. Null if there is no such order. */
  readonly readState: (orderId: string) => Promise<OrderState | null>
  readonly tryPayout: PayoutTrial
  readonly lookAtPayment: PaymentLook
  readonly log: Pick<Logger, 'warn'>
  /** Monotonic. */
  readonly nowMs?: () => number
}

/** Ten blocks of the slowest chain that shows a payment only once it is mined. */
const PATIENCE_MS = 120_000
const MAX_REMEMBERED = 20_000

/** Called with every state that the engine derives, and now and then with none. */
export function createPaymentWatch(options: PaymentWatchOptions): (states: readonly OrderState[]) => void {
  const { pool, readState, tryPayout, lookAtPayment, log, nowMs = () => performance.now() } = options
  /** Funded orders that wait for the solver, and since when. The oldest first. */
  const waiting = new Map<string, number>()
  const declined = new Set<string>()
  /** Unpaid orders that were held against their solvers: each counts once, however long it stays open. The oldest first. */
  const blamed = new Set<string>()

  function note(state: OrderState): void {
    const { id, solverId } = state.order
    if (isUnpaid(state)) {
      if (!waiting.has(id) && !blamed.has(id) && waiting.size < MAX_REMEMBERED) {
        waiting.set(id, nowMs())
        pool.noteFunded(keyOf(state), solverId)
      }
    } else if ((waiting.delete(id) || blamed.delete(id)) && isPaid(state)) pool.find(solverId)?.orderPaid()
    if (!isDeclined(state) || declined.has(id)) return
    if (declined.size >= MAX_REMEMBERED) declined.clear()
    declined.add(id)
    judgeDecline(state).catch((error: unknown) =>
      log.warn({ order: id, err: error }, 'cannot tell whether the solver had to decline an order'),
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
    // Unseen is not unpaid: its address may not have had its turn.
    if (await lookAtPayment(state.order)) return member?.orderPaid()
    member?.orderUnpaid()
    blamed.add(orderId)
    for (const oldest of blamed) if (blamed.size > MAX_REMEMBERED) blamed.delete(oldest)
  }

  return (states) => {
    for (const state of states) note(state)
    for (const [orderId, since] of waiting) {
      if (nowMs() - since < PATIENCE_MS) break
      waiting.delete(orderId)
      judge(orderId).catch((error: unknown) => {
        log.warn({ order: orderId, err: error }, 'cannot tell whether the solver pays for an order; will look again')
        waiting.set(orderId, nowMs())
      })
    }
  }
}

/** While a chain stands still, waiting is no fault of the solver. */
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

/** It took the order, the user funded it in time, and now it does not want it. */
function isDeclined({ declined, fundedInTime, destination, order, source }: OrderState): boolean {
  const inTime = fundedInTime && source.counted.every(({ block }) => block !== null && block.time <= order.priceExpiresAt)
  return declined !== null && inTime && destination.deposits.length === 0
}
