/** The swaps to watch on a chain: all of them, or only those that changed since the last read. */
import { sql } from 'kysely'
import type { ChainId } from '../../protocol/chain-id.ts'
import type { HtlcTerms, SwapId } from '../../protocol/htlc.ts'
import type { Leg } from '../../protocol/order.ts'
import type { Database } from '../database/database.ts'
import { termsOf } from '../orders/terms.ts'

/** How long after an order is closed late deposits are still watched for, where anyone can send one at any time. */
const FINISHED_WATCH_DAYS = 365

/** Orders or disk blocks read per query, so that a long list blocks nothing else, and the planner uses the indexes. */
const OPEN_PAGE = 2_000
const BLOCKS_PAGE = 1_000

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
  /** Those with a mined spend; of open orders only. */
  readonly spent: readonly string[]
}

export type WatchedScope = {
  readonly chain: ChainId
  /** Anyone may send any amount at any time to an HTLC of this chain. */
  readonly partialDeposits: boolean
}

const HORIZON = sql<bigint>`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`

/** The horizon from which the next read continues. Read it before the rows, so that no change is missed. */
export async function readHorizon(db: Database): Promise<bigint> {
  const { rows } = await sql<{ horizon: bigint }>`select ${HORIZON} as horizon`.execute(db)
  return rows[0]?.horizon ?? 0n
}

/** All swaps that are not over. What changes while they are read is not below the horizon, and is read again. */
export async function* readAllWatched(db: Database, scope: WatchedScope): AsyncGenerator<readonly WatchedRow[]> {
  yield* readOpenWatched(db, scope)
  if (scope.partialDeposits) yield* readFinishedWatched(db, scope)
}

/** In the sequence of the open orders: costs what is open, however many are finished. */
export async function* readOpenWatched(db: Database, scope: WatchedScope): AsyncGenerator<readonly WatchedRow[]> {
  for (let after = 0n; ; ) {
    const { rows } = await sql<{ orders: bigint; last: bigint | null }>`
      select count(*) as orders, max(seq) as last
      from (select seq from orders where closed_at is null and seq > ${after} order by seq limit ${OPEN_PAGE}) as page`.execute(db)
    const { orders, last } = rows[0] ?? { orders: 0n, last: null }
    if (last === null) return
    yield await select(db, scope, sql`orders.closed_at is null and orders.seq > ${after} and orders.seq <= ${last}`)
    if (orders < BigInt(OPEN_PAGE)) return
    after = last
  }
}

/** In the sequence on disk, because these may be most of the table: no sorting and no jumping. */
async function* readFinishedWatched(db: Database, scope: WatchedScope): AsyncGenerator<readonly WatchedRow[]> {
  const { rows } = await sql<{ blocks: bigint }>`
    select pg_relation_size('swaps') / current_setting('block_size')::bigint as blocks`.execute(db)
  for (let from = 0; BigInt(from) < (rows[0]?.blocks ?? 0n); from += BLOCKS_PAGE) {
    yield await select(
      db,
      scope,
      sql`swaps.ctid >= ${`(${from},0)`}::tid and swaps.ctid < ${`(${from + BLOCKS_PAGE},0)`}::tid
        and leg = 'source' and closed_at > now() - make_interval(days => ${FINISHED_WATCH_DAYS})`,
    )
  }
}

export type ChangedWatched = {
  readonly rows: readonly WatchedRow[]
  /** From which the next read continues. */
  readonly horizon: bigint
}

/**
 * Swaps that changed since this horizon. The next horizon is of the same snapshot as the rows, so no change is missed. Larger transaction
 * numbers than ours come from the database that this one was restored from.
 */
export async function readChangedWatched(db: Database, { chain, partialDeposits }: WatchedScope, since: bigint): Promise<ChangedWatched> {
  const { rows } = await sql<{ next: bigint } & (Row | { readonly order_id: null })>`
    select ${HORIZON} as next, changed.* from (select) as always left join (
      ${selectSwaps(
        chain,
        sql`watched_in >= ${since.toString()}::bigint and watched_in < pg_snapshot_xmax(pg_current_snapshot())::text::bigint`,
      )}
    ) as changed on true`.execute(db)
  return {
    rows: rows.flatMap((row) => (row.order_id === null ? [] : [parseRow(row, partialDeposits)])),
    horizon: rows[0]?.next ?? since,
  }
}

async function select(
  db: Database,
  { chain, partialDeposits }: WatchedScope,
  which: ReturnType<typeof sql>,
): Promise<readonly WatchedRow[]> {
  const { rows } = await selectSwaps(chain, which).execute(db)
  return rows.map((row) => parseRow(row, partialDeposits))
}

const selectSwaps = (chain: ChainId, which: ReturnType<typeof sql>) => sql<Row>`
    select order_id, leg, swap_id, asset, initiator, redeemer, amount, swaps.secret_hash, timelock, closed_at is null as open,
      case when closed_at is null then
        (select array_agg(deposit) from events where events.chain = swaps.chain and events.swap_id = swaps.swap_id and kind = 'initiated')
      end as deposits,
      case when closed_at is null then
        (select array_agg(deposit) from events
          where events.chain = swaps.chain and events.swap_id = swaps.swap_id and kind <> 'initiated' and block_height is not null)
      end as spent
    from swaps join orders on orders.id = swaps.order_id
    where swaps.chain = ${chain} and ${which}`

type Row = Parameters<typeof termsOf>[0] & {
  readonly order_id: string
  readonly leg: Leg
  readonly swap_id: string
  readonly open: boolean
  readonly deposits: readonly string[] | null
  readonly spent: readonly string[] | null
}

function parseRow(row: Row, partialDeposits: boolean): WatchedRow {
  return {
    orderId: row.order_id,
    leg: row.leg,
    swapId: row.swap_id,
    terms: termsOf(row),
    watching: row.open ? 'open' : partialDeposits && row.leg === 'source' ? 'finished' : 'over',
    deposits: row.deposits ?? [],
    spent: row.spent ?? [],
  }
}
