/**
 * Logs the life of every order: created, deposit seen, filled, redeemed, refunded, and why not. It reads the same changes of status as the event streams.
 * One process of a database does so at a time. No order waits for it.
 */
import { randomUUID } from 'node:crypto'
import { factsOf, isServed } from '@tandem/party/engine/facts.ts'
import { createLoop } from '@tandem/party/engine/loop.ts'
import { holdLease, releaseLease } from '@tandem/party/store/actions/leases.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { EVENTS_BATCH, numberEvents, type OrderEvent, readNewEvents } from '@tandem/party/store/events/order-events.ts'
import { readLoggedOrders } from '@tandem/party/store/operator-view/logged-orders.ts'
import { findOrderSnapshots } from '@tandem/party/store/orders/orders.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import { deriveOrder, type OrderStatus } from '@tandem/protocol/state.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import { whyNotComplete } from '../operator/explain.ts'
import { describeLine } from './describe-line.ts'

export interface OrderLog {
  /** Resolves when it was decided which process logs: all that happens later is told. */
  readonly begun: Promise<void>
  /** The status of an order may have changed. */
  wake(): void
  stop(): Promise<void>
}

export type OrderLogContext = {
  readonly db: Database
  readonly registry: Registry
  readonly log: Logger
  readonly now: () => bigint
  readonly onStep?: (from: OrderStatus, to: OrderStatus, seconds: number) => void
  /** Between two readings: a line may be so late. */
  readonly pauseMs?: number
}

const LEASE = 'order log'
const LEASE_SECONDS = 30
const RENEW_MS = 10_000
/** What nothing woke, such as an order that expires, is logged so late. */
const POLL_MS = 10_000
const PAUSE_MS = 250
/** Orders whose last status is remembered, to tell how long it took. */
const MOST_REMEMBERED = 10_000
/** Reasons are derived for so many orders at once. */
const MOST_REASONS = 50

export function startOrderLog(context: OrderLogContext): OrderLog {
  const { db, registry, log } = context
  const holder = randomUUID()
  const last = new Map<string, { readonly status: OrderStatus; readonly at: Date }>()
  let position: bigint | null = null
  let leasedAtMs = Number.NEGATIVE_INFINITY
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })

  /** Null while another process logs. What happened before we took over is not told again. */
  async function takePosition(): Promise<bigint | null> {
    if (performance.now() - leasedAtMs < RENEW_MS) return position
    if (!(await holdLease(db, LEASE, holder, LEASE_SECONDS))) {
      position = null
      return null
    }
    leasedAtMs = performance.now()
    position ??= await numberEvents(db)
    return position
  }

  function secondsSince({ orderId, status, at }: OrderEvent): number | null {
    const before = last.get(orderId)
    last.delete(orderId)
    last.set(orderId, { status, at })
    const oldest = last.keys().next().value
    if (last.size > MOST_REMEMBERED && oldest !== undefined) last.delete(oldest)
    if (before === undefined) return null
    const seconds = (at.getTime() - before.at.getTime()) / 1000
    context.onStep?.(before.status, status, seconds)
    return seconds
  }

  async function reasonsOf(events: readonly OrderEvent[]): Promise<ReadonlyMap<string, string>> {
    const ids = [...new Set(events.filter(({ status }) => status === 'awaiting_refund').map(({ orderId }) => orderId))]
    const snapshots = (await findOrderSnapshots(db, ids.slice(0, MOST_REASONS))).filter(({ stored }) => isServed(registry, stored))
    return new Map(
      snapshots.map((snapshot) => [snapshot.stored.order.id, whyNotComplete(deriveOrder(factsOf(registry, snapshot, context.now())))]),
    )
  }

  async function run(): Promise<boolean> {
    const after = await takePosition()
    begin()
    if (after === null) return false
    const events = await readNewEvents(db, after)
    position = events.at(-1)?.id ?? after
    if (events.length === 0) return false
    const [orders, reasons] = await Promise.all([
      log.isLevelEnabled('info') ? readLoggedOrders(db, [...new Set(events.map(({ orderId }) => orderId))]) : new Map(),
      reasonsOf(events),
    ])
    for (const event of events) {
      const seconds = secondsSince(event)
      const order = orders.get(event.orderId)
      if (order === undefined) continue
      const why = event.status === 'awaiting_refund' ? (reasons.get(event.orderId) ?? null) : null
      const { fields, text } = describeLine({ status: event.status, seconds, why }, order, registry)
      log.info(fields, text)
    }
    return events.length >= EVENTS_BATCH
  }

  const loop = createLoop({
    intervalMs: POLL_MS,
    cooldownMs: context.pauseMs ?? PAUSE_MS,
    run,
    onError: (error) => log.warn({ err: error }, 'the life of orders cannot be logged now; will retry'),
  })
  return {
    begun,
    wake: () => loop.wake(),
    async stop() {
      await loop.stop()
      // Else nobody logs until it ends, and what happens meanwhile is never told.
      await releaseLease(db, holder, LEASE)
    },
  }
}
