/**
 * The life of every order is logged: created, deposit seen, filled, redeemed, refunded, and the reason if it fails. The log reads the same
 * changes of status as the event streams. One process of a database does so at a time, and no order waits for it.
 */
import { randomUUID } from 'node:crypto'
import { factsOf, isServed } from '@tandem/party/engine/facts.ts'
import { createLoop } from '@tandem/party/engine/loop.ts'
import { holdLease, releaseLease } from '@tandem/party/store/actions/leases.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { EVENTS_BATCH, numberEvents, type OrderEvent, readNewEvents } from '@tandem/party/store/events/order-events.ts'
import { type LoggedOrder, readLoggedOrders } from '@tandem/party/store/operator-view/logged-orders.ts'
import { findOrderSnapshots } from '@tandem/party/store/orders/orders.ts'
import { formatUnits } from '@tandem/protocol/amount.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import { deriveOrder, type OrderStatus } from '@tandem/protocol/state.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import { whyNotComplete } from '../operator/explain.ts'

export interface OrderLog {
  /** Resolves when it is decided which process logs. All later changes are logged. */
  readonly begun: Promise<void>
  /** The caller calls this when the status of an order may have changed. */
  wake(): void
  stop(): Promise<void>
}

export type OrderLogContext = {
  readonly db: Database
  readonly registry: Registry
  readonly log: Logger
  readonly now: () => bigint
  readonly onStep?: (from: OrderStatus, to: OrderStatus, seconds: number) => void
  /** A line may be late by this cooldown between two reads. */
  readonly cooldownMs?: number
}

const LEASE = 'order log'
const LEASE_SECONDS = 30
const RENEW_MS = 10_000
/** A change without a wake-up, such as an order that expires, is logged late by up to this time. */
const POLL_MS = 10_000
const COOLDOWN_MS = 250
/** The last status of this many orders is remembered, to log how long the status took. */
const MAX_REMEMBERED = 10_000
/** Reasons are derived for at most this many orders at once. */
const MAX_REASONS = 50

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

  /** Resolves to null while another process logs. After a takeover, earlier changes are not logged again. */
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
    if (last.size > MAX_REMEMBERED && oldest !== undefined) last.delete(oldest)
    if (before === undefined) return null
    const seconds = (at.getTime() - before.at.getTime()) / 1000
    context.onStep?.(before.status, status, seconds)
    return seconds
  }

  async function reasonsOf(events: readonly OrderEvent[]): Promise<ReadonlyMap<string, string>> {
    const ids = [...new Set(events.filter(({ status }) => status === 'awaiting_refund').map(({ orderId }) => orderId))]
    const snapshots = (await findOrderSnapshots(db, ids.slice(0, MAX_REASONS))).filter(({ stored }) => isServed(registry, stored))
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
    cooldownMs: context.cooldownMs ?? COOLDOWN_MS,
    run,
    onError: (error) => log.warn({ err: error }, 'the life of orders cannot be logged now; will retry'),
  })
  return {
    begun,
    wake: () => loop.wake(),
    async stop() {
      await loop.stop()
      // Without this release nobody would log until the lease ends, and changes until then would never be logged.
      await releaseLease(db, holder, LEASE)
    },
  }
}

type Step = { readonly text: string; readonly tx?: { readonly leg: Leg; readonly kind: 'initiated' | 'redeemed' | 'refunded' } }

const steps: Readonly<Record<OrderStatus, Step>> = {
  created: { text: 'order created' },
  initiate_detected: { text: 'order: deposit seen', tx: { leg: 'source', kind: 'initiated' } },
  initiated: { text: 'order: deposit confirmed', tx: { leg: 'source', kind: 'initiated' } },
  counterparty_initiate_detected: { text: 'order: filled, not confirmed yet', tx: { leg: 'destination', kind: 'initiated' } },
  counterparty_initiated: { text: 'order: filled', tx: { leg: 'destination', kind: 'initiated' } },
  redeem_detected: { text: 'order: redeem seen', tx: { leg: 'destination', kind: 'redeemed' } },
  redeemed: { text: 'order: redeemed, the user is paid', tx: { leg: 'destination', kind: 'redeemed' } },
  counterparty_redeemed: { text: 'order complete: the solver is paid too', tx: { leg: 'source', kind: 'redeemed' } },
  awaiting_refund: { text: 'order cannot complete: its deposit will be refunded' },
  refund_detected: { text: 'order: refund seen', tx: { leg: 'source', kind: 'refunded' } },
  refunded: { text: 'order refunded', tx: { leg: 'source', kind: 'refunded' } },
  expired: { text: 'order expired: nothing was deposited by the deadline' },
}

export type Line = { readonly fields: Readonly<Record<string, string>>; readonly text: string }

function describeLine(
  { status, seconds, why }: { readonly status: OrderStatus; readonly seconds: number | null; readonly why: string | null },
  order: LoggedOrder,
  registry: Registry,
): Line {
  const { text, tx: wanted } = steps[status]
  const tx = wanted === undefined ? undefined : order.txs.findLast(({ leg, kind }) => leg === wanted.leg && kind === wanted.kind)?.tx
  const fields = {
    order: order.id,
    ...(status === 'created' && {
      from: amountText(registry, order.source),
      to: amountText(registry, order.destination),
      app: order.app,
      solver: order.solverId,
    }),
    ...(tx !== undefined && { tx }),
    ...(seconds !== null && { after: `${seconds.toFixed(1)}s` }),
    ...(why !== null && { why }),
  }
  return { fields, text }
}

function amountText(registry: Registry, { asset, amount }: LoggedOrder['source']): string {
  const known = registry.assets.find(({ id }) => id === asset)
  return known === undefined ? `${amount} ${asset}` : `${formatUnits(amount, known.decimals)} ${asset}`
}
