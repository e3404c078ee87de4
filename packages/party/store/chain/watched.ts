/** Finds the watched swaps of a chain by ids, and what a watcher must know before a poll. */
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { HtlcTerms, SwapId } from '@tandem/protocol/htlc.ts'
import { bigint, boolean, listOf, nullable, shape, text, type ValueOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { leg } from '../database/domain-columns.ts'
import { prepare } from '../database/prepared.ts'
import { termColumns, termsOf } from '../orders/terms.ts'

/** Where anyone can send a deposit at any time, late deposits are watched for this long after an order is closed. */
const FINISHED_WATCH_DAYS = 365
/** This many of the newest open swaps decide what to expect of a chain. With more open swaps, everything is expected. */
const LOOKED_AT = 100
const IDS_PAGE = 10_000
/** The disk blocks read in one statement are few, so that a long table blocks nothing else. */
const BLOCKS_PAGE = 1_000
/** These last characters of an id are sent to fill a filter. */
export const ID_END = 16

export type WatchedScope = {
  readonly chain: ChainId
  /** Anyone may send any amount at any time to an HTLC of this chain. */
  readonly partialDeposits: boolean
}

export type Expected = {
  /** The next read of changes continues from this horizon. */
  readonly horizon: bigint
  readonly hasOpen: boolean
  readonly hasAny: boolean
  readonly hasDeposits: boolean
  /** The mempool may show something new: a swap of an open order has no deposit yet, or a deposit without a mined spend. */
  readonly expectsUnconfirmed: boolean
  /** The ends of the ids of all swaps that were changed since the given horizon. */
  readonly changed: readonly string[]
  /** The ends of the deposit ids of changed swaps that are open: a deposit counts again when its order is reopened. */
  readonly changedDeposits: readonly string[]
}

const CHANGED = 'chain = $1 and watched_in >= $2::bigint and watched_in < pg_snapshot_xmax(pg_current_snapshot())::text::bigint'

/**
 * Rows that a snapshot does not show yet have numbers at or above its horizon. Larger numbers than ours come from the database that this
 * one was restored from.
 */
const selectExpected = prepare(
  'read-expected',
  shape({
    horizon: bigint,
    has_open: boolean,
    has_any: boolean,
    has_deposits: boolean,
    expects_unconfirmed: boolean,
    changed: listOf(text),
    changed_deposits: listOf(text),
  }),
  `with newest as not materialized (
    select chain, swap_id from swaps where chain = $1 and open order by watched_in desc limit ${LOOKED_AT}
  )
  select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon,
    exists (select from newest) as has_open,
    exists (select from swaps where chain = $1) as has_any,
    exists (select from newest join events using (chain, swap_id) where kind = 'initiated')
      or exists (select from swaps where chain = $1 and open offset ${LOOKED_AT}) as has_deposits,
    exists (
      select from newest
      where not exists (select from events where events.chain = newest.chain and events.swap_id = newest.swap_id and kind = 'initiated')
        or exists (
          select from events as deposits
          where deposits.chain = newest.chain and deposits.swap_id = newest.swap_id and deposits.kind = 'initiated' and not exists (
            select from events as spends
            where spends.chain = deposits.chain and spends.deposit = deposits.deposit and spends.swap_id = deposits.swap_id
              and spends.kind <> 'initiated' and spends.block_height is not null
          )
        )
    ) or exists (select from swaps where chain = $1 and open offset ${LOOKED_AT}) as expects_unconfirmed,
    array(select right(swap_id, ${ID_END}) from swaps where ${CHANGED}) as changed,
    array(
      select right(deposit, ${ID_END}) from swaps join events using (chain, swap_id) where ${CHANGED} and open and kind = 'initiated'
    ) as changed_deposits`,
)

/** `since` is the horizon of an earlier read; with null, changes are not read. */
export async function readExpected(db: Database, chain: ChainId, since: bigint | null): Promise<Expected> {
  const [row] = await selectExpected(db, [chain, since?.toString() ?? null])
  if (row === undefined) throw new Error('the database did not answer')
  return {
    horizon: row.horizon,
    hasOpen: row.has_open,
    hasAny: row.has_any,
    hasDeposits: row.has_deposits,
    expectsUnconfirmed: row.expects_unconfirmed,
    changed: row.changed,
    changedDeposits: row.changed_deposits,
  }
}

const swapColumns = { swap_id: text, ...termColumns }
const swapRow = shape(swapColumns)
export type StoredSwap = { readonly swapId: SwapId; readonly terms: HtlcTerms }

const parseSwap = (row: ValueOf<typeof swapRow>): StoredSwap => ({ swapId: row.swap_id, terms: termsOf(row) })

const columns = 'swaps.swap_id, asset, initiator, redeemer, swaps.amount, swaps.secret_hash, timelock'

const selectByIds = prepare(
  'find-watched-swaps',
  shape({ ...swapColumns, deposit: nullable(text) }),
  `select ${columns}, null as deposit from swaps
  where chain = $1 and swap_id = any($2::text[]) and (open or (
    $4::boolean and leg = 'source' and exists (
      select from orders where id = order_id and closed_at > now() - make_interval(days => ${FINISHED_WATCH_DAYS})
    )
  ))
  union all
  select ${columns}, deposit from events join swaps on swaps.chain = events.chain and swaps.swap_id = events.swap_id
  where events.chain = $1 and events.deposit = any($3::text[]) and events.kind = 'initiated' and open`,
)

export type WatchedIds = { readonly swapIds: readonly SwapId[]; readonly deposits: readonly string[] }
export type WatchedMaps = { readonly bySwapId: Map<SwapId, StoredSwap>; readonly byDeposit: Map<string, StoredSwap> }

/**
 * Returns the watched swaps among these ids: those of open orders, and where deposits are partial also the source swaps of orders that were
 * closed within a year. Deposits find swaps of open orders only.
 */
export async function findWatched(
  db: Database,
  { chain, partialDeposits }: WatchedScope,
  { swapIds, deposits }: WatchedIds,
): Promise<WatchedMaps> {
  const found: WatchedMaps = { bySwapId: new Map(), byDeposit: new Map() }
  for (let from = 0; from < Math.max(swapIds.length, deposits.length); from += IDS_PAGE) {
    const pages = [swapIds, deposits].map((ids) => ids.slice(from, from + IDS_PAGE))
    for (const row of await selectByIds(db, [chain, ...pages, partialDeposits])) {
      if (row.deposit === null) found.bySwapId.set(row.swap_id, parseSwap(row))
      else found.byDeposit.set(row.deposit, parseSwap(row))
    }
  }
  return found
}

const countSwaps = prepare(
  'count-swaps',
  shape({ count: bigint }),
  `select count(*) from swaps where chain = $1 and (open or ($2::boolean and leg = 'source'))`,
)

/** The result may be a little too high: it includes swaps that were closed longer ago than late deposits are watched for. */
export async function countWatched(db: Database, { chain, partialDeposits }: WatchedScope): Promise<number> {
  return Number((await countSwaps(db, [chain, partialDeposits]))[0]?.count ?? 0n)
}

const selectOpenEnds = prepare(
  'read-open-ids',
  shape({ ends: listOf(text) }),
  `select array(select right(swap_id, ${ID_END}) from swaps where chain = $1 and open) as ends`,
)
const selectBlocks = prepare(
  'count-swap-blocks',
  shape({ blocks: bigint }),
  `select pg_relation_size('swaps') / current_setting('block_size')::bigint as blocks`,
)
const selectFinishedEnds = prepare(
  'read-finished-ids',
  shape({ ends: listOf(text) }),
  `select array(
    select right(swap_id, ${ID_END}) from swaps join orders on orders.id = order_id
    where swaps.ctid >= $2::tid and swaps.ctid < $3::tid and chain = $1 and leg = 'source' and not open
      and closed_at > now() - make_interval(days => ${FINISHED_WATCH_DAYS})
  ) as ends`,
)

/** Pages through all watched swaps. Finished ones are read in their sequence on disk, because they may be most of the table. */
export async function* readWatchedEnds(db: Database, { chain, partialDeposits }: WatchedScope): AsyncGenerator<readonly string[]> {
  yield (await selectOpenEnds(db, [chain]))[0]?.ends ?? []
  if (!partialDeposits) return
  const blocks = Number((await selectBlocks(db, []))[0]?.blocks ?? 0n)
  for (let from = 0; from < blocks; from += BLOCKS_PAGE)
    yield (await selectFinishedEnds(db, [chain, `(${from},0)`, `(${from + BLOCKS_PAGE},0)`]))[0]?.ends ?? []
}

const knownDeposits = `from swaps join events on events.chain = swaps.chain and events.swap_id = swaps.swap_id
  where swaps.chain = $1 and open and kind = 'initiated'`
const countDeposits = prepare('count-deposits', shape({ count: bigint }), `select count(*) ${knownDeposits}`)
const selectDepositEnds = prepare(
  'read-deposit-ids',
  shape({ ends: listOf(text) }),
  `select array(select right(deposit, ${ID_END}) ${knownDeposits}) as ends`,
)

export async function countDepositsOf(db: Database, chain: ChainId): Promise<number> {
  return Number((await countDeposits(db, [chain]))[0]?.count ?? 0n)
}

export async function* readDepositEnds(db: Database, chain: ChainId): AsyncGenerator<readonly string[]> {
  yield (await selectDepositEnds(db, [chain]))[0]?.ends ?? []
}

const activeRow = shape({ ...swapColumns, deposits: listOf(text), order_id: text, leg })
export type StoredActiveSwap = StoredSwap & { readonly deposits: readonly string[] }

const selectActive = `select ${columns}, order_id, leg, array(
    select deposit from events where events.chain = swaps.chain and events.swap_id = swaps.swap_id and kind = 'initiated'
  ) as deposits
  from swaps where chain = $1 and open`
const selectActiveAfter = prepare(
  'list-active-swaps',
  activeRow,
  `${selectActive} and (order_id, leg) > ($2::text, $3::text) order by order_id, leg limit $4`,
)
const selectNewestActive = prepare('list-newest-swaps', activeRow, `${selectActive} order by watched_in desc limit $2`)

const selectFunded = prepare('list-funded-swaps', activeRow, `${selectActive} and funded order by watched_in desc limit $2`)

const parseActive = (row: ValueOf<typeof activeRow>): StoredActiveSwap => ({ ...parseSwap(row), deposits: row.deposits })

/**
 * Returns a page of the swaps of open orders, with their known deposits. `next` is null if there are no more pages. The sequence never
 * changes: a swap that is changed meanwhile must not move to a page that was read already.
 */
export async function listActive(
  db: Database,
  chain: ChainId,
  limit: number,
  from: string | null,
): Promise<{ readonly swaps: readonly StoredActiveSwap[]; readonly next: string | null }> {
  const [orderId = '', leg = ''] = from?.split(' ') ?? []
  const rows = await selectActiveAfter(db, [chain, orderId, leg, limit])
  const last = rows.at(-1)
  return { swaps: rows.map(parseActive), next: rows.length < limit || !last ? null : `${last.order_id} ${last.leg}` }
}

/** The swaps of open orders that were made or changed last come first. */
export async function listNewest(db: Database, chain: ChainId, limit: number): Promise<readonly StoredActiveSwap[]> {
  return (await selectNewestActive(db, [chain, limit])).map(parseActive)
}

/** Includes only orders whose source has, or had, a deposit. */
export async function listFunded(db: Database, chain: ChainId, limit: number): Promise<readonly StoredActiveSwap[]> {
  return (await selectFunded(db, [chain, limit])).map(parseActive)
}

const selectBySecretHash = prepare(
  'find-swaps-by-secret-hash',
  swapRow,
  `select ${columns} from orders join swaps on swaps.order_id = orders.id
  where orders.secret_hash = any($2::text[]) and chain = $1 and open order by swaps.swap_id`,
)

export async function findBySecretHash(db: Database, chain: ChainId, hashes: readonly string[]): Promise<readonly StoredSwap[]> {
  return hashes.length === 0 ? [] : (await selectBySecretHash(db, [chain, hashes])).map(parseSwap)
}

const solverParties = (changed: string) => `select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon, array(
    select distinct case leg when 'source' then redeemer else initiator end from swaps where ${changed} and open
  ) as parties`
const partiesRow = shape({ horizon: bigint, parties: listOf(text) })
const selectSolverParties = prepare('read-solver-parties', partiesRow, solverParties('chain = $1'))
const selectNewSolverParties = prepare('read-new-solver-parties', partiesRow, solverParties(CHANGED))

/** With `since`, the horizon of an earlier read, only swaps that were changed since are read. */
export async function readSolverParties(db: Database, chain: ChainId, since: bigint | null): Promise<ValueOf<typeof partiesRow>> {
  const [row] = await (since === null ? selectSolverParties(db, [chain]) : selectNewSolverParties(db, [chain, since.toString()]))
  if (row === undefined) throw new Error('the database did not answer')
  return row
}
