/**
 * Prefunded amounts are read from the deposit addresses of orders, or from users' accounts at the HTLC, on chains that have one of them. A
 * sufficient amount in time becomes a grant to initiate. An amount that is too late, too small or a second payment is recorded for a
 * reclaim. The playbook acts on both.
 */
import { type Prefund, prefundedSwapOf } from '@tandem/chain-kit/port/abilities/prefund.ts'
import type { StoredOrder } from '@tandem/party/store/orders/orders.ts'
import { listPastFundingAfter, mayFundAnother, recordPrefund } from '@tandem/party/store/orders/prefunds.ts'
import {
  listUnfundedAfter,
  listUnfundedLast,
  UNFUNDED_PAGE,
  type UnfundedKind,
  type UnfundedPlace,
} from '@tandem/party/store/orders/unfunded-orders.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Order } from '@tandem/protocol/order.ts'
import { isWorthReclaiming, RELAY_SECONDS } from '@tandem/protocol/playbook.ts'
import type { SyncContext, SyncTask } from '../solver-sync/solver-sync.ts'
import { grantPrefunded } from './grant-prefunded.ts'
import { createHourlyShares } from './hourly-shares.ts'
import { createLatePages, type LatePage } from './late-deposits.ts'
import { createWorthCheck } from './reclaim-budget.ts'

/** Each poll reads the newest page of unfunded orders and the next older page in one request, so that every order is read eventually. */
const POLL_MS = 1_000
/** While no order on a chain waits at an address, only the database is asked. */
const IDLE_POLL_MS = 5_000
/** Most users pay at once or not at all, so an order is read less often the longer it waits. */
const READS_PER_AGE = 10
const MAX_BACKOFF_MS = 30_000
const MAX_REMEMBERED = 10_000

/** Where payers have accounts, one request reads this many orders that are past funding. */
const RECLAIM_PAGE = 200
const RECLAIM_POLL_MS = 5_000
/** This is the interval after a round over all orders that found nothing. */
const IDLE_RECLAIM_POLL_MS = 15_000
/**
 * Each recorded amount costs the service the fee of a reclaim, and anyone can pay small amounts to many orders. So this many are begun in an hour for the
 * orders of one app on one chain.
 */
const MAX_RECLAIMS_PER_HOUR = 120
/** What is not worth its fee costs only reads, one for each retry. So it uses up nothing of the other share; its owner is told. */
const MAX_UNECONOMIC_PER_HOUR = 120

/** The times of the last reads are in memory only, so a restart costs one more read. */
export function createCollectTasks(context: SyncContext): () => readonly SyncTask[] {
  const collectors = [...context.clients].flatMap(
    ([
      chain,
      {
        chain: { pollMs },
        prefund,
      },
    ]) => (prefund === undefined ? [] : [createCollector(context, chain, prefund, pollMs), createReclaimer(context, chain, prefund)]),
  )
  return () => collectors.flatMap((collector) => collector.due())
}

function kindOf({ addressOf }: Prefund): UnfundedKind {
  return addressOf === undefined ? 'all' : 'with-address'
}

function createCollector(context: SyncContext, chain: ChainId, prefund: Prefund, chainPollMs: number) {
  const { db, wake, now } = context
  const kind = kindOf(prefund)
  // What lies at an address changes with a block, and a chain is polled for its blocks at this interval.
  const busyMs = kind === 'all' ? POLL_MS : Math.max(POLL_MS, chainPollMs)
  const readAt = new Map<string, number>()
  let startedAt = 0
  let pollMs = busyMs
  let place: UnfundedPlace | null = null

  function isDue({ order: { id, createdAt } }: StoredOrder): boolean {
    const backoffMs = Math.min(Number(now() - createdAt) * (1000 / READS_PER_AGE), MAX_BACKOFF_MS)
    return Date.now() - (readAt.get(id) ?? 0) >= backoffMs
  }

  async function nextPage(soonest: bigint): Promise<readonly StoredOrder[]> {
    const from = place !== null && place.deadline > soonest ? place : { deadline: soonest + 1n, seq: -1n }
    const { orders, end } = await listUnfundedAfter(db, chain, kind, from)
    place = end
    return orders
  }

  async function run(): Promise<'done'> {
    startedAt = Date.now()
    // Orders whose initiation could not be mined by the deadline are skipped. They are reclaimed after it.
    const soonest = now() + RELAY_SECONDS
    const newest = await listUnfundedLast(db, chain, kind, soonest)
    pollMs = kind === 'with-address' && newest.length === 0 ? IDLE_POLL_MS : busyMs
    const others = newest.length < UNFUNDED_PAGE[kind] ? [] : await nextPage(soonest)
    const due = [...new Map([...newest, ...others].filter(isDue).map((stored) => [stored.order.id, stored])).values()]
    if (readAt.size >= MAX_REMEMBERED) readAt.clear()
    for (const { order } of due) readAt.set(order.id, Date.now())
    const seenAt = new Date()
    const amounts = await amountsAt(
      prefund,
      due.map(({ order }) => order),
    )
    for (const [index, stored] of due.entries()) {
      const amount = amounts[index] ?? 0n
      if (kind === 'with-address') await noteArrived(stored, amount, seenAt)
      if (amount >= stored.order.source.terms.amount && (await grantPrefunded(context, stored))) wake()
    }
    return 'done'
  }

  /** The order shows what has arrived, and its status tells it to webhooks. Nobody is told of dust, which anyone can send. */
  async function noteArrived({ order, prefund: known }: StoredOrder, amount: bigint, seenAt: Date): Promise<void> {
    const shown = isWorthReclaiming(order, amount) ? amount : 0n
    if (shown === known) return
    await recordPrefund(db, order.id, { amount: shown, seenAt })
    wake()
  }

  return { due: (): readonly SyncTask[] => (Date.now() - startedAt < pollMs ? [] : [{ key: `collect ${chain}`, orderIds: [], run }]) }
}

function createReclaimer(context: SyncContext, chain: ChainId, prefund: Prefund) {
  const { db, log, wake, now } = context
  const nextPage = kindOf(prefund) === 'all' ? pagesPastFunding() : createLatePages(db, chain)
  let startedAt = 0
  let pollMs = RECLAIM_POLL_MS
  let foundInRound = 0
  const returned = createHourlyShares(MAX_RECLAIMS_PER_HOUR)
  const uneconomic = createHourlyShares(MAX_UNECONOMIC_PER_HOUR)

  async function run(): Promise<'done'> {
    startedAt = Date.now()
    pollMs = RECLAIM_POLL_MS
    const { orders, isLast } = await nextPage(now())
    const seenAt = new Date()
    const isWorthItsFee = createWorthCheck(context)
    const amounts = await amountsAt(
      prefund,
      orders.map(({ order }) => order),
    )
    for (const [index, { order, app }] of orders.entries()) {
      const amount = amounts[index] ?? 0n
      if (!isWorthReclaiming(order, amount) || (await mayFundAnother(db, order, now()))) continue
      const isPaid = order.source.depositAddress === null || (await isWorthItsFee(order, amount))
      if (!(isPaid ? returned : uneconomic).take(app ?? '')) continue
      foundInRound += 1
      await recordPrefund(db, order.id, { amount, seenAt })
      log.info({ order: order.id, amount }, 'a prefunded amount cannot be used: reclaiming it')
      wake()
    }
    if (isLast) {
      if (foundInRound === 0) pollMs = IDLE_RECLAIM_POLL_MS
      foundInRound = 0
    }
    return 'done'
  }

  /** Each call returns the next page; after the last one, the first. */
  function pagesPastFunding(): (now: bigint) => Promise<LatePage> {
    let after = -1n
    return async (at) => {
      const { orders, end } = await listPastFundingAfter(db, chain, { now: at, limit: RECLAIM_PAGE, after })
      after = end ?? -1n
      return { orders, isLast: end === null }
    }
  }

  return { due: (): readonly SyncTask[] => (Date.now() - startedAt < pollMs ? [] : [{ key: `reclaim ${chain}`, orderIds: [], run }]) }
}

function amountsAt(prefund: Prefund, orders: readonly Order[]): Promise<readonly bigint[]> | readonly bigint[] {
  return orders.length === 0 ? [] : prefund.amounts(orders.map(prefundedSwapOf))
}
