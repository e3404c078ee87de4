/** The payment watch of a process without an engine is fed here. It reads the same changes of status as the event streams. */
import { factsOf, isServed } from '@tandem/party/engine/facts.ts'
import { createLoop } from '@tandem/party/engine/loop.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { EVENTS_BATCH, numberEvents, readNewEvents } from '@tandem/party/store/events/order-events.ts'
import { findOrderSnapshots } from '@tandem/party/store/orders/orders.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import { deriveOrder, type OrderState } from '@tandem/protocol/state.ts'
import type { Logger } from '@tandem/runtime/log.ts'

export type FollowPaymentsContext = {
  readonly db: Database
  readonly registry: Registry
  readonly log: Pick<Logger, 'warn'>
  readonly now: () => bigint
  readonly pollMs?: number
}

export interface PaymentFollower {
  stop(): Promise<void>
}

/** A solver has two minutes to pay, so nothing is urgent. */
const POLL_MS = 5000

/** `watch` is called with each order whose status changed, and at each poll. */
export function followPayments(context: FollowPaymentsContext, watch: (states: readonly OrderState[]) => void): PaymentFollower {
  const { db, registry, log, now } = context
  let position: bigint | null = null
  return createLoop({
    intervalMs: context.pollMs ?? POLL_MS,
    async run() {
      position ??= await numberEvents(db)
      const events = await readNewEvents(db, position)
      const ids = [...new Set(events.map(({ orderId }) => orderId))]
      const snapshots = (await findOrderSnapshots(db, ids)).filter(({ stored }) => isServed(registry, stored))
      watch(snapshots.map((snapshot) => deriveOrder(factsOf(registry, snapshot, now()))))
      position = events.at(-1)?.id ?? position
      return events.length >= EVENTS_BATCH
    },
    onError: (error) => log.warn({ err: error }, 'cannot read whether solvers pay; will retry'),
  })
}
