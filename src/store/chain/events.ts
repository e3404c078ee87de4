/** Chain events, and the newest recorded block of each chain. A reorg deletes events, and the state of orders is derived again. */
import { type Selectable, sql } from 'kysely'
import type { Block } from '../../protocol/chain.ts'
import type { ChainId } from '../../protocol/chain-id.ts'
import type { BlockRef, HtlcEvent, SwapId } from '../../protocol/htlc.ts'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { lockChain } from './chain-lock.ts'

/** Every recorded block of the newest 256 heights is kept, and the next one below them, to find the fork after a reorg of that depth. */
export const REMEMBERED_BLOCKS = 256

/**
 * On chains with a finality tag the final block may be much older. Below the remembered heights one block per 64 heights is kept, down to the
 * final block or `DEEPEST_BLOCKS`. A deep reorg rewinds to the next of them.
 */
export const SPARSE_BLOCKS = 64n
const DEEPEST_BLOCKS = 65_536n

/** A block with the final height when it was recorded, on chains with a finality tag. */
export type RecordedBlock = Block & { readonly finalHeight?: bigint }

/** The newest recorded block; null before the first poll. */
export async function readCursor(db: Database, chain: ChainId): Promise<RecordedBlock | null> {
  return (await readBlocks(db, chain, 1))[0] ?? null
}

/** Newest first. */
export async function readBlocks(db: Database, chain: ChainId, limit: number | null = null): Promise<readonly RecordedBlock[]> {
  const query = db.selectFrom('blocks').selectAll().where('chain', '=', chain).orderBy('height', 'desc')
  return (await (limit === null ? query : query.limit(limit)).execute()).map(parseBlock)
}

export async function readTips(db: Database): Promise<ReadonlyMap<ChainId, RecordedBlock>> {
  const rows = await db.selectFrom('blocks').distinctOn('chain').selectAll().orderBy('chain').orderBy('height', 'desc').execute()
  return new Map(rows.map((row) => [row.chain, parseBlock(row)]))
}

function parseBlock(row: Selectable<Schema['blocks']>): RecordedBlock {
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
  /** The cursor that the poll started from. If it has moved since, nothing is written. */
  readonly after: Block | null
  /** Blocks to record, on the same branch as `after`. The newest becomes the cursor if it is higher. */
  readonly blocks: readonly Block[]
  /** The chain's final height; absent or null without a finality tag. */
  readonly finalHeight?: bigint | null
  readonly events: readonly HtlcEvent[]
  /** All unconfirmed events right now: those recorded earlier and not listed here are deleted. */
  readonly unconfirmed: readonly HtlcEvent[]
}

/** Records one poll atomically. Null if another watcher moved the cursor; else whether anything but the height changed. */
export async function recordPoll(db: Database, step: Poll): Promise<{ readonly changed: boolean } | null> {
  return db.transaction().execute(async (tx) => {
    await lockChain(tx, step.chain)
    const cursor = await readCursor(tx, step.chain)
    if (cursor?.hash !== step.after?.hash) return null
    let changed = await deleteUnconfirmed(tx, step.chain, step.unconfirmed)
    for (const event of [...step.unconfirmed, ...step.events]) changed = (await upsertEvent(tx, step.chain, event)) || changed
    const newest = [...step.blocks, ...(cursor === null ? [] : [cursor])].reduce((max, { height }) => (height > max ? height : max), 0n)
    const final_height = await acceptedFinalHeight(tx, step.chain, step.finalHeight ?? null, newest)
    for (const { height, hash, parentHash, time, ordinal = null } of step.blocks) {
      const row = { chain: step.chain, height, hash, parent_hash: parentHash, time, ordinal, final_height }
      await tx
        .insertInto('blocks')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    }
    if (cursor !== null && (cursor.finalHeight ?? null) !== final_height) {
      changed = true
      await tx.updateTable('blocks').set({ final_height }).where('chain', '=', step.chain).where('height', '=', cursor.height).execute()
    }
    if (step.blocks.length > 0) await deleteOldBlocks(tx, step.chain, newest, final_height)
    return { changed }
  })
}

async function deleteOldBlocks(tx: Database, chain: ChainId, newest: bigint, finalHeight: bigint | null): Promise<void> {
  // Catching up leaves gaps among the sparse blocks: also keep some below the final block.
  const floor = finalHeight === null ? newest : finalHeight - 8n * SPARSE_BLOCKS
  const deepest = newest - DEEPEST_BLOCKS
  await sql`
    delete from blocks where chain = ${chain} and height is distinct from ${finalHeight}
      and height < (select max(height) from blocks kept where kept.chain = ${chain} and kept.height <= ${newest + 1n - BigInt(REMEMBERED_BLOCKS)})
      and (height <= ${floor} or height <= ${deepest} or exists (
        select from blocks newer
        where newer.chain = ${chain} and newer.height > blocks.height and newer.height / ${SPARSE_BLOCKS} = blocks.height / ${SPARSE_BLOCKS}
      ))`.execute(tx)
}

/** The final height never decreases: a node that reports a lower one lags behind. It is capped at our newest block, because undoing it is hard. */
async function acceptedFinalHeight(tx: Database, chain: ChainId, reported: bigint | null, newest: bigint): Promise<bigint | null> {
  if (reported === null) return null
  const possible = reported < newest ? reported : newest
  const known = await finalHeightOf(tx, chain)
  return known !== null && known > possible ? known : possible
}

/** The highest final height on record. */
export async function finalHeightOf(db: Database, chain: ChainId): Promise<bigint | null> {
  const row = await db
    .selectFrom('blocks')
    .select((eb) => eb.fn.max('final_height').as('height'))
    .where('chain', '=', chain)
    .executeTakeFirst()
  return row?.height ?? null
}

async function deleteUnconfirmed(tx: Database, chain: ChainId, still: readonly HtlcEvent[]): Promise<boolean> {
  const known = await tx.selectFrom('events').select(['tx', 'index']).where('chain', '=', chain).where('block_height', 'is', null).execute()
  const present = new Set(still.map((event) => `${event.tx} ${event.index}`))
  const gone = known.filter((row) => !present.has(`${row.tx} ${row.index}`))
  for (const row of gone) {
    await tx.deleteFrom('events').where('chain', '=', chain).where('tx', '=', row.tx).where('index', '=', row.index).execute()
  }
  return gone.length > 0
}

async function upsertEvent(tx: Database, chain: ChainId, event: HtlcEvent): Promise<boolean> {
  const secret = event.kind === 'initiated' ? null : event.secret
  const expires_at = event.kind === 'initiated' ? event.expiresAt : null
  const block = {
    block_height: event.block?.height ?? null,
    block_hash: event.block?.hash ?? null,
    block_time: event.block?.time ?? null,
    block_ordinal: event.block?.ordinal ?? null,
  }
  const result = await tx
    .insertInto('events')
    .values({
      chain,
      tx: event.tx,
      index: event.index,
      swap_id: event.swapId,
      kind: event.kind,
      deposit: event.deposit,
      amount: event.kind === 'initiated' ? event.amount : null,
      secret,
      expires_at,
      ...block,
    })
    .onConflict((conflict) =>
      // A mempool may lag behind the blocks: only a rewind unconfirms an event.
      event.block === null
        ? conflict.doNothing()
        : conflict
            .columns(['chain', 'tx', 'index'])
            // The transaction id does not cover the witness, which may have changed.
            .doUpdateSet({ ...block, kind: event.kind, secret, expires_at })
            .where((eb) => sql<boolean>`${eb.ref('events.block_hash')} is distinct from ${block.block_hash}`),
    )
    .executeTakeFirst()
  if (secret !== null) {
    // Never deleted: the transaction may vanish in a reorg, but the secret stays public.
    await tx
      .updateTable('orders')
      .set({ seen_secret: secret, seen_secret_at: new Date() })
      .where('seen_secret', 'is', null)
      .where('id', 'in', (eb) => eb.selectFrom('swaps').select('order_id').where('chain', '=', chain).where('swap_id', '=', event.swapId))
      .execute()
  }
  const changed = (result.numInsertedOrUpdatedRows ?? 0n) > 0n
  if (changed) await reopenOrder(tx, chain, event.swapId)
  return changed
}

/** Reopens a closed order, e.g. after a late deposit. */
async function reopenOrder(tx: Database, chain: ChainId, swapId: SwapId): Promise<void> {
  await tx
    .updateTable('orders')
    .set({ closed_at: null })
    .where('closed_at', 'is not', null)
    .where('id', 'in', (eb) => eb.selectFrom('swaps').select('order_id').where('chain', '=', chain).where('swap_id', '=', swapId))
    .execute()
}

/** Deletes everything above `ancestor`, after a reorg. `falseAbove`: the height above which the finality tag was wrong. */
export async function rewind(db: Database, chain: ChainId, ancestor: Block, falseAbove: bigint | null = null): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockChain(tx, chain)
    const taken = await tx
      .deleteFrom('events')
      .where('chain', '=', chain)
      .where('block_height', '>', ancestor.height)
      .returning('swap_id')
      .execute()
    for (const swapId of new Set(taken.map((row) => row.swap_id))) await reopenOrder(tx, chain, swapId)
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

/** Events by `${chain} ${swapId}`. */
export async function readEvents(
  db: Database,
  swaps: readonly { readonly chain: ChainId; readonly swapId: SwapId }[],
): Promise<ReadonlyMap<string, readonly HtlcEvent[]>> {
  const found = new Map<string, HtlcEvent[]>()
  if (swaps.length === 0) return found
  const { rows } = await sql<Selectable<Schema['events']>>`
    select * from events where (chain, swap_id) in (
      select * from unnest(${swaps.map(({ chain }) => chain)}::text[], ${swaps.map(({ swapId }) => swapId)}::text[])
    )`.execute(db)
  for (const row of rows) {
    const block: BlockRef | null =
      row.block_height === null || row.block_hash === null || row.block_time === null
        ? null
        : {
            height: row.block_height,
            hash: row.block_hash,
            time: row.block_time,
            ...(row.block_ordinal !== null && { ordinal: row.block_ordinal }),
          }
    const sighting = { swapId: row.swap_id, tx: row.tx, index: row.index, block, deposit: row.deposit }
    const event: HtlcEvent =
      row.kind === 'initiated'
        ? { ...sighting, kind: 'initiated', amount: row.amount ?? 0n, expiresAt: row.expires_at }
        : { ...sighting, kind: row.kind, secret: row.secret }
    const key = `${row.chain} ${row.swap_id}`
    found.set(key, [...(found.get(key) ?? []), event])
  }
  return found
}
