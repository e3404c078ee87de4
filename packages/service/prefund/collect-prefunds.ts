/**
 * Prefunded amounts are read from users' accounts at the HTLC, on chains that have such accounts. A sufficient amount in time becomes a
 * grant to initiate. An amount that is too late, too small or a second payment is recorded for a reclaim. The playbook acts on both.
 */
import type { Prefund } from '@tandem/chain-kit/port/abilities/prefund.ts'
import { addGrant } from '@tandem/party/store/orders/grants.ts'
import { listPastFundingAfter, mayFundAnother, recordPrefund } from '@tandem/party/store/orders/prefunds.ts'
import { listUnfundedAfter, listUnfundedLast, UNFUNDED_PAGE, type UnfundedPlace } from '@tandem/party/store/orders/unfunded-orders.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Order } from '@tandem/protocol/order.ts'
import { isWorthReclaiming, RELAY_SECONDS } from '@tandem/protocol/playbook.ts'
import type { SyncContext, SyncTask } from '../solver-sync/solver-sync.ts'

/** Each poll reads the newest page of unfunded orders and the next older page in one request, so that every order is read eventually. */
const POLL_MS = 1_000
/** Most users pay at once or not at all, so an order is read less often the longer it waits. */
const READS_PER_AGE = 10
const MAX_BACKOFF_MS = 30_000
const MAX_REMEMBERED = 10_000

/** One request reads this many orders that are past funding. */
const RECLAIM_PAGE = 200
const RECLAIM_POLL_MS = 5_000
/** This is the interval after a round over all orders that found nothing. */
const IDLE_RECLAIM_POLL_MS = 15_000
/** Each recorded amount costs the service the fee of a reclaim, and anyone can pay small amounts to many orders. */
const MAX_RECLAIMS_PER_HOUR = 120
const HOUR_MS = 3_600_000

/** The times of the last reads are in memory only, so a restart costs one more read. */
export function createCollectTasks(context: SyncContext): () => readonly SyncTask[] {
  const collectors = [...context.clients].flatMap(([chain, { prefund }]) =>
    prefund === undefined ? [] : [createCollector(context, chain, prefund), createReclaimer(context, chain, prefund)],
  )
  return () => collectors.flatMap((collector) => collector.due())
}

function createCollector({ db, log, wake, now }: SyncContext, chain: ChainId, prefund: Prefund) {
  const readAt = new Map<string, number>()
  let startedAt = 0
  let place: UnfundedPlace | null = null

  function isDue({ id, createdAt }: Order): boolean {
    const backoffMs = Math.min(Number(now() - createdAt) * (1000 / READS_PER_AGE), MAX_BACKOFF_MS)
    return Date.now() - (readAt.get(id) ?? 0) >= backoffMs
  }

  async function nextPage(soonest: bigint): Promise<readonly Order[]> {
    const from = place !== null && place.deadline > soonest ? place : { deadline: soonest + 1n, seq: -1n }
    const { orders, end } = await listUnfundedAfter(db, chain, from)
    place = end
    return orders
  }

  async function run(): Promise<'done'> {
    startedAt = Date.now()
    // Orders whose initiation could not be mined by the deadline are skipped. They are reclaimed after it.
    const soonest = now() + RELAY_SECONDS
    const newest = await listUnfundedLast(db, chain, soonest)
    const others = newest.length < UNFUNDED_PAGE ? [] : await nextPage(soonest)
    const due = [...new Map([...newest, ...others].filter(isDue).map((order) => [order.id, order])).values()]
    if (readAt.size >= MAX_REMEMBERED) readAt.clear()
    for (const { id } of due) readAt.set(id, Date.now())
    for (const { order, amount } of await amountsAt(prefund, due)) {
      const consent = { kind: 'prefunded', deadline: order.deadline } as const
      if (amount < order.source.terms.amount || !(await addGrant(db, order.id, { kind: 'initiate', leg: 'source', consent }))) continue
      log.info({ order: order.id }, 'the order is prefunded: initiating')
      wake()
    }
    return 'done'
  }

  return { due: (): readonly SyncTask[] => (Date.now() - startedAt < POLL_MS ? [] : [{ key: `collect ${chain}`, orderIds: [], run }]) }
}

function createReclaimer({ db, log, wake, now }: SyncContext, chain: ChainId, prefund: Prefund) {
  let startedAt = 0
  let pollMs = RECLAIM_POLL_MS
  let place = -1n
  let foundInRound = 0
  let recent: readonly number[] = []

  async function run(): Promise<'done'> {
    startedAt = Date.now()
    pollMs = RECLAIM_POLL_MS
    recent = recent.filter((at) => Date.now() - at < HOUR_MS)
    if (recent.length >= MAX_RECLAIMS_PER_HOUR) return 'done'
    const { orders, end } = await listPastFundingAfter(db, chain, { now: now(), after: place, limit: RECLAIM_PAGE })
    place = end ?? -1n
    const seenAt = new Date()
    for (const { order, amount } of await amountsAt(prefund, orders)) {
      if (!isWorthReclaiming(order, amount) || recent.length >= MAX_RECLAIMS_PER_HOUR) continue
      if (await mayFundAnother(db, order, now())) continue
      recent = [...recent, Date.now()]
      foundInRound += 1
      await recordPrefund(db, order.id, { amount, seenAt })
      log.info({ order: order.id, amount }, 'a prefunded amount cannot be used: reclaiming it')
      wake()
    }
    if (end === null) {
      if (foundInRound === 0) pollMs = IDLE_RECLAIM_POLL_MS
      foundInRound = 0
    }
    return 'done'
  }

  return { due: (): readonly SyncTask[] => (Date.now() - startedAt < pollMs ? [] : [{ key: `reclaim ${chain}`, orderIds: [], run }]) }
}

async function amountsAt(prefund: Prefund, orders: readonly Order[]) {
  const amounts = orders.length === 0 ? [] : await prefund.amounts(orders.map(swapOf))
  return orders.map((order, index) => ({ order, amount: amounts[index] ?? 0n }))
}

function swapOf({ source, deadline }: Order) {
  return { terms: source.terms, deadline, payer: source.payer }
}
