/** Chain events, and the newest recorded block of each chain. A reorg deletes events, and the state of orders is derived again. */

import type { Block } from '@tandem/protocol/chain.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { HtlcEvent, SwapId } from '@tandem/protocol/htlc.ts'
import { sql } from 'kysely'
import { bigint, boolean, nullable, shape, text, type ValueOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { eventKind } from '../database/domain-columns.ts'
import { prepare, readRows } from '../database/prepared.ts'
import { lockChain } from './chain-lock.ts'
import { eventRow, MAX_EVENTS_READ, parseEvent, readConsideredEvents, type SwapEvents } from './considered-events.ts'
import { eventRows, shownSecrets } from './poll-rows.ts'

/** Every recorded block of the newest 256 heights is kept, and the next one below them, to find the fork after a reorg of that depth. */
export const REMEMBERED_BLOCKS = 256

/**
 * On chains with a finality tag the final block may be much older. Below the remembered heights one block per 64 heights is kept, down to
 * the final block or `DEEPEST_BLOCKS`. A deep reorg rewinds to the next of them.
 */
export const SPARSE_BLOCKS = 64n
const DEEPEST_BLOCKS = 65_536

/** `finalHeight` is that at the time of the recording, on chains with a finality tag. */
export type RecordedBlock = Block & { readonly finalHeight?: bigint }

export async function readCursor(db: Database, chain: ChainId): Promise<RecordedBlock | null> {
  return (await readBlocks(db, chain, 1))[0] ?? null
}

/** The newest block is first. */
export async function readBlocks(db: Database, chain: ChainId, limit: number | null = null): Promise<readonly RecordedBlock[]> {
  const query = db.selectFrom('blocks').selectAll().where('chain', '=', chain).orderBy('height', 'desc')
  return (await (limit === null ? query : query.limit(limit)).execute()).map(parseBlock)
}

const blockColumns = {
  height: bigint,
  hash: text,
  parent_hash: text,
  time: bigint,
  ordinal: nullable(bigint),
  final_height: nullable(bigint),
}
const block = shape(blockColumns)

/** The statement goes from chain to chain in the index: `distinct on` would read every block of every chain. */
const selectTips = prepare(
  'read-tips',
  shape({ chain: text, ...blockColumns }),
  `with recursive known (chain) as (
    (select chain from blocks order by chain limit 1)
    union all
    select (select blocks.chain from blocks where blocks.chain > known.chain order by blocks.chain limit 1) from known where known.chain is not null
  )
  select newest.* from known cross join lateral (
    select * from blocks where blocks.chain = known.chain order by height desc limit 1
  ) as newest`,
)

export async function readTips(db: Database): Promise<ReadonlyMap<ChainId, RecordedBlock>> {
  const rows = await selectTips(db, [])
  return new Map(rows.map((row) => [row.chain, parseBlock(row)]))
}

function parseBlock(row: ValueOf<typeof block>): RecordedBlock {
  return {
    height: row.height,
    hash: row.hash,
    parentHash: row.parent_hash,
    time: row.time,
    ...(row.ordinal !== null && { ordinal: row.ordinal }),
    ...(row.final_height !== null && { finalHeight: row.final_height }),
  }
}

export type Poll = {
  readonly chain: ChainId
  /** The poll started from this cursor. If the cursor has moved since, nothing is written. */
  readonly after: Block | null
  /** These blocks are on the same branch as `after`. The newest becomes the cursor if it is higher. */
  readonly blocks: readonly Block[]
  /** It is absent or null without a finality tag. */
  readonly finalHeight?: bigint | null
  readonly events: readonly HtlcEvent[]
  /** Recorded unconfirmed events that are not listed here are deleted. */
  readonly unconfirmed: readonly HtlcEvent[]
}

export type Recorded = {
  /** Anything but the height changed. */
  readonly changed: boolean
  readonly finalHeight: bigint | null
}

const record = prepare(
  'record-poll',
  shape({ cursor_moved: boolean, changed: boolean, accepted_final: nullable(bigint) }),
  'select * from record_poll($1)',
)

/** Records one poll atomically, in one round trip. Returns null if another watcher moved the cursor. */
export async function recordPoll(db: Database, { chain, after, blocks, finalHeight, events, unconfirmed }: Poll): Promise<Recorded | null> {
  const seen = { mined: events, unconfirmed }
  const poll = {
    chain,
    after: after?.hash ?? null,
    finalHeight: finalHeight?.toString() ?? null,
    blocks: blocks.map(blockRow),
    events: eventRows(seen),
    secrets: shownSecrets(seen),
    remembered: REMEMBERED_BLOCKS,
    sparse: SPARSE_BLOCKS.toString(),
    deepest: DEEPEST_BLOCKS,
  }
  const [recorded] = await record(db, [JSON.stringify(poll)])
  if (recorded === undefined || recorded.cursor_moved) return null
  return { changed: recorded.changed, finalHeight: recorded.accepted_final }
}

function blockRow({ height, hash, parentHash, time, ordinal }: Block) {
  return {
    height: height.toString(),
    hash,
    parent_hash: parentHash,
    time: time.toString(),
    ordinal: ordinal?.toString() ?? null,
  }
}

export async function finalHeightOf(db: Database, chain: ChainId): Promise<bigint | null> {
  const row = await db
    .selectFrom('blocks')
    .select((eb) => eb.fn.max('final_height').as('height'))
    .where('chain', '=', chain)
    .executeTakeFirst()
  return row?.height ?? null
}

/** Deletes everything above `ancestor`, after a reorg. The finality tag was wrong above the height `falseAbove`. */
export async function rewind(db: Database, chain: ChainId, ancestor: Block, falseAbove: bigint | null = null): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockChain(tx, chain)
    const taken = await tx
      .deleteFrom('events')
      .where('chain', '=', chain)
      .where('block_height', '>', ancestor.height)
      .returning('swap_id')
      .execute()
    await sql`select reopen_orders(${chain}, ${[...new Set(taken.map((row) => row.swap_id))]})`.execute(tx)
    if (falseAbove !== null)
      await tx
        .updateTable('blocks')
        .set({ final_height: falseAbove })
        .where('chain', '=', chain)
        .where('final_height', '>', falseAbove)
        .execute()
    const final_height = await finalHeightOf(tx, chain)
    await tx.deleteFrom('blocks').where('chain', '=', chain).where('height', '>', ancestor.height).execute()
    await tx.updateTable('blocks').set({ final_height }).where('chain', '=', chain).where('height', '=', ancestor.height).execute()
    // A reorg may unconfirm a finished initiation: check it again, and cancel it if it is not wanted.
    await sql`
      update actions set cancelling = true, due_at = now()
      where verb = 'initiate' and not wanted and order_id in (select id from orders where closed_at is null)
        and exists (select from attempts where action_key = actions.key and attempts.chain = ${chain})`.execute(tx)
  })
}

export async function readUnconfirmed(db: Database, chain: ChainId): Promise<readonly HtlcEvent[]> {
  return (await db.selectFrom('events').selectAll().where('chain', '=', chain).where('block_height', 'is', null).execute()).map(parseEvent)
}

/** The keys are `${chain} ${swapId}`. If a swap has very many events, only those of its considered deposits are read. */
export async function readEvents(
  db: Database,
  swaps: readonly { readonly chain: ChainId; readonly swapId: SwapId }[],
): Promise<ReadonlyMap<string, readonly HtlcEvent[]>> {
  return new Map([...(await readSwapEvents(db, swaps))].map(([key, { events }]) => [key, events]))
}

/** Also returns the number of deposits that were not read. */
export async function readSwapEvents(
  db: Database,
  swaps: readonly { readonly chain: ChainId; readonly swapId: SwapId }[],
): Promise<ReadonlyMap<string, SwapEvents>> {
  const found = new Map<string, HtlcEvent[]>()
  if (swaps.length === 0) return new Map()
  const rows = await readRows(db, eventRow)`
    select found.* from unnest(${swaps.map(({ chain }) => chain)}::text[], ${swaps.map(({ swapId }) => swapId)}::text[]) as swap (chain, id)
    cross join lateral (
      select * from events where events.chain = swap.chain and events.swap_id = swap.id limit ${MAX_EVENTS_READ + 1}
    ) as found`
  for (const row of rows) {
    const key = `${row.chain} ${row.swap_id}`
    const others = found.get(key)
    if (others === undefined) found.set(key, [parseEvent(row)])
    else others.push(parseEvent(row))
  }
  const read = new Map<string, SwapEvents>([...found].map(([key, events]) => [key, { events, unreadDeposits: 0 }]))
  for (const { chain, swapId } of swaps) {
    const key = `${chain} ${swapId}`
    if ((found.get(key)?.length ?? 0) > MAX_EVENTS_READ) read.set(key, await readConsideredEvents(db, chain, swapId))
  }
  return read
}

/** The cursor and the events are of the same moment. Returns null before the first poll. */
export async function readSwapFacts(
  db: Database,
  { chain, swapId }: { readonly chain: ChainId; readonly swapId: SwapId },
): Promise<(SwapEvents & { readonly cursor: RecordedBlock }) | null> {
  const rows = await readRows(db, swapFacts)`
    select events.*, c_height, c_hash, c_parent_hash, c_time, c_ordinal, c_final_height
    from (
      select height as c_height, hash as c_hash, parent_hash as c_parent_hash, time as c_time, ordinal as c_ordinal,
        final_height as c_final_height
      from blocks where chain = ${chain} order by height desc limit 1
    ) as newest
    left join lateral (
      select * from events where events.chain = ${chain} and events.swap_id = ${swapId} limit ${MAX_EVENTS_READ + 1}
    ) as events on true`
  const [first] = rows
  if (first === undefined) return null
  if (rows.length > MAX_EVENTS_READ) return readConsideredFacts(db, chain, swapId)
  const { c_height: height, c_hash: hash, c_parent_hash: parent_hash, c_time: time, c_ordinal: ordinal, c_final_height } = first.cursor
  return {
    cursor: parseBlock({ height, hash, parent_hash, time, ordinal, final_height: c_final_height }),
    events: rows.flatMap(({ event }) => (event === null ? [] : [parseEvent(event)])),
    unreadDeposits: 0,
  }
}

const cursor = shape({
  c_height: bigint,
  c_hash: text,
  c_parent_hash: text,
  c_time: bigint,
  c_ordinal: nullable(bigint),
  c_final_height: nullable(bigint),
})
const hasEvent = shape({ kind: nullable(eventKind) })

/** Without an event all columns of the event are null. */
const swapFacts = (row: unknown) => ({ cursor: cursor(row), event: hasEvent(row).kind === null ? null : eventRow(row) })

/** Both statements run on one snapshot of the database. */
function readConsideredFacts(
  db: Database,
  chain: ChainId,
  swapId: SwapId,
): Promise<(SwapEvents & { readonly cursor: RecordedBlock }) | null> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const cursor = await readCursor(tx, chain)
      return cursor === null ? null : { cursor, ...(await readConsideredEvents(tx, chain, swapId)) }
    })
}
