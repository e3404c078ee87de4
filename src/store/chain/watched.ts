/** The swaps to watch on a chain: all of them, or only those that changed since the last read. */
import { sql } from 'kysely'
import type { ChainId } from '../../protocol/chain-id.ts'
import type { HtlcTerms, SwapId } from '../../protocol/htlc.ts'
import type { Leg } from '../../protocol/order.ts'
import type { Database } from '../database/database.ts'
import { termsOf } from '../orders/terms.ts'

/** How long after an order is closed late deposits are still watched for, where anyone can send one at any time. */
const FINISHED_WATCH_DAYS = 365

/** Rows read per query, so that a long list blocks nothing else. */
const PAGE = 10_000

/**
 * open      watch deposits and their spends
 * finished  watch late deposits only
 * over      watch nothing
 */
type Watching = 'open' | 'finished' | 'over'

export type WatchedRow = {
  readonly orderId: string
  readonly leg: Leg
  readonly swapId: SwapId
  readonly terms: HtlcTerms
  readonly watching: Watching
  /** Known deposits; of open orders only. */
  readonly deposits: readonly string[]
}

export type WatchedScope = {
  readonly chain: ChainId
  /** Anyone may send any amount at any time to an HTLC of this chain. */
  readonly partialDeposits: boolean
}

/** The horizon from which the next read continues. Read it before the rows, so that no change is missed. */
export async function readHorizon(db: Database): Promise<bigint> {
  const { rows } = await sql<{ horizon: bigint }>`select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon`.execute(db)
  return rows[0]?.horizon ?? 0n
}

/** All swaps that are not over. */
export async function* readAllWatched(db: Database, scope: WatchedScope): AsyncGenerator<readonly WatchedRow[]> {
  const finished = scope.partialDeposits
    ? sql`leg = 'source' and closed_at > now() - make_interval(days => ${FINISHED_WATCH_DAYS})`
    : sql`false`
  yield* readPages(db, scope, sql`closed_at is null or (${finished})`)
}

export function readOpenWatched(db: Database, scope: WatchedScope): AsyncGenerator<readonly WatchedRow[]> {
  return readPages(db, scope, sql`closed_at is null`)
}

/** Swaps that changed since this horizon. Larger transaction numbers than ours come from the database that this one was restored from. */
export function readChangedWatched(db: Database, scope: WatchedScope, horizon: bigint): AsyncGenerator<readonly WatchedRow[]> {
  return readPages(
    db,
    scope,
    sql`watched_in >= ${horizon.toString()}::bigint and watched_in < pg_snapshot_xmax(pg_current_snapshot())::text::bigint`,
  )
}

async function* readPages(
  db: Database,
  { chain, partialDeposits }: WatchedScope,
  which: ReturnType<typeof sql>,
): AsyncGenerator<readonly WatchedRow[]> {
  for (let after = { orderId: '', leg: '' }; ; ) {
    const { rows } = await sql<Row>`
      select order_id, leg, swap_id, asset, initiator, redeemer, amount, swaps.secret_hash, timelock, closed_at is null as open,
        case when closed_at is null then
          (select array_agg(deposit) from events where events.chain = swaps.chain and events.swap_id = swaps.swap_id and kind = 'initiated')
        end as deposits
      from swaps join orders on orders.id = swaps.order_id
      where chain = ${chain} and (${which}) and (order_id, leg) > (${after.orderId}, ${after.leg})
      order by order_id, leg limit ${PAGE}`.execute(db)
    if (rows.length > 0) yield rows.map((row) => parseRow(row, partialDeposits))
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return
    after = { orderId: last.order_id, leg: last.leg }
  }
}

type Row = Parameters<typeof termsOf>[0] & {
  readonly order_id: string
  readonly leg: Leg
  readonly swap_id: string
  readonly open: boolean
  readonly deposits: readonly string[] | null
}

function parseRow(row: Row, partialDeposits: boolean): WatchedRow {
  return {
    orderId: row.order_id,
    leg: row.leg,
    swapId: row.swap_id,
    terms: termsOf(row),
    watching: row.open ? 'open' : partialDeposits && row.leg === 'source' ? 'finished' : 'over',
    deposits: row.deposits ?? [],
  }
}
