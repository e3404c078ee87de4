/** Follows one chain: new blocks, reorgs, and the events of watched swaps in blocks and in the mempool. */
import type { ChainClient } from '../chains/port/client.ts'
import type { Block, Chain } from '../protocol/chain.ts'
import type { ChainId } from '../protocol/chain-id.ts'
import type { HtlcEvent } from '../protocol/htlc.ts'
import { holdLease } from '../store/actions/leases.ts'
import { type RecordedBlock, readCursor, recordPoll, rewind, SPARSE_BLOCKS } from '../store/chain/events.ts'
import type { Database } from '../store/database/database.ts'
import { createFinalGuard, type FinalGuard } from './final-guard.ts'
import { findFork } from './fork.ts'
import { heightsBetween, lacksBlock, readHeaders } from './headers.ts'
import { LEASE_SECONDS } from './leases.ts'
import { createWatchList, type WatchList } from './watch-list.ts'
import { withDeposits } from './watched-swaps.ts'

/** Heights read in one step when catching up. */
const STEP_HEIGHTS = 500n
/** Where heights may skip: how many are tried to find the last block of a step. */
const END_HEIGHTS = 16n
/** Up to this many new heights, all are read and linked to the cursor by hash. If there are more, only the necessary ones: a fast chain costs no more requests. */
const DENSE_HEIGHTS = 4n
/** The first poll of a chain, and every step of catching up, reads this many of the newest heights: a shallow reorg then rewinds little. */
const NEWEST_HEIGHTS = 16n

export type Watch = {
  readonly db: Database
  readonly client: ChainClient
  /** Only one process per database follows a chain at a time: it holds a lease. */
  readonly holder: string
  /** Kept between polls; without one, each poll reads the whole list. */
  readonly list?: WatchList
  /** Kept between polls; without one, no reorg of final blocks is ever accepted. */
  readonly guard?: FinalGuard
  readonly onReorg: (details: { readonly chain: string; readonly from: bigint; readonly to: bigint }) => void
}

export type PollResult = {
  /** Something happened to a swap, or the tip moved: states may have changed. */
  readonly changed: boolean
  /** There are more blocks to catch up with. */
  readonly behind: boolean
}

/**
 * One poll. Reads the tip first and the watch list second: an order created in between can only be funded in a later block.
 * Headers are read once, after the events: the cursor, the blocks with events and the newest block, all canonical at that moment.
 * A reorg at any earlier moment of the poll shows in one of them.
 */
export async function pollChain(watch: Watch): Promise<PollResult> {
  const { db, client, holder, list = createWatchList(client.chain) } = watch
  const chain = client.chain.id
  const tip = await client.tip()
  if (!(await holdLease(db, watchLease(chain), holder, LEASE_SECONDS))) return NOTHING_NEW
  const cursor = await readCursor(db, chain)
  if (cursor !== null && tip.height <= cursor.height && tip.hash !== cursor.hash) return rewindToFork(watch, tip)
  const from = cursor === null ? firstHeight(client.chain, tip) : cursor.height + 1n
  const end = await endOfStep(client, from, tip)
  const finalHeight = (await client.finalHeight?.()) ?? null
  await list.refresh(db, cursor)
  const events = end.height >= from && list.size > 0 ? await client.events(list, from, end.height) : []
  const minedDeposits = new Map(events.filter((event) => event.kind === 'initiated').map((event) => [event.deposit, event.swapId]))
  const unconfirmed = (list.size > 0 ? await client.unconfirmedEvents?.(withDeposits(list, minedDeposits)) : null) ?? []
  const checked = await readChecked(client, { cursor, from, end, finalHeight, events })
  if (checked === 'cursor-gone') return rewindToFork(watch, tip)
  if (checked === 'changed') return NOTHING_NEW
  const mined = new Set(events.map((event) => `${event.tx} ${event.index}`))
  const recorded = await recordPoll(db, {
    chain,
    after: cursor,
    blocks: checked,
    finalHeight,
    events,
    unconfirmed: unconfirmed.filter((event) => !mined.has(`${event.tx} ${event.index}`)),
  })
  if (recorded === null) return { changed: true, behind: true }
  list.recorded(end, events)
  return { changed: recorded.changed || end.height >= from, behind: end.height < tip.height }
}

/** The name of the lease that one poll takes. */
export function watchLease(chain: ChainId): string {
  return `watch ${chain}`
}

const NOTHING_NEW: PollResult = { changed: false, behind: false }

/** The start on a chain that we never watched: below any reorg we allow for. Skipped heights do not count as blocks. */
function firstHeight({ finalityBlocks, heightsMaySkip }: Chain, tip: Block): bigint {
  const height = tip.height - BigInt(finalityBlocks) * (heightsMaySkip ? 2n : 1n)
  return height > 0n ? height : 0n
}

/** The tip, or a block below it when there is much to catch up with. */
async function endOfStep(client: ChainClient, from: bigint, tip: Block): Promise<Block> {
  for (let to = from + STEP_HEIGHTS - 1n; to < tip.height; to += STEP_HEIGHTS) {
    const { heightsMaySkip } = client.chain
    const headers = await readHeaders(client, heightsMaySkip ? heightsBetween(to - END_HEIGHTS + 1n, to) : [to])
    const last = [...headers.values()].at(-1)
    if (last !== undefined) return last
    if (!heightsMaySkip) throw lacksBlock(client, to)
  }
  return tip
}

type Step = {
  readonly cursor: RecordedBlock | null
  readonly from: bigint
  readonly end: Block
  readonly finalHeight: bigint | null
  readonly events: readonly HtlcEvent[]
}

/** The headers to remember, lowest first, consistent with the cursor and the events; or why this poll must not be recorded. */
async function readChecked(client: ChainClient, step: Step): Promise<readonly Block[] | 'cursor-gone' | 'changed'> {
  const { cursor, from, end, events } = step
  const wanted = new Set([...newHeights(step), ...finalToRemember(step)])
  if (wanted.size === 0) return []
  const eventBlocks = events.flatMap(({ block }) => block ?? [])
  const headers = await readHeaders(client, [
    ...(cursor === null ? [] : [cursor.height]),
    ...eventBlocks.map(({ height }) => height),
    ...wanted,
  ])
  if (cursor !== null && headers.get(cursor.height)?.hash !== cursor.hash) return 'cursor-gone'
  if (eventBlocks.length < events.length || [...eventBlocks, end].some(({ height, hash }) => headers.get(height)?.hash !== hash))
    return 'changed'
  const lacking = client.chain.heightsMaySkip ? undefined : [...wanted].find((height) => !headers.has(height))
  if (lacking !== undefined) throw lacksBlock(client, lacking)
  // No block above the end: the newest remembered block becomes the cursor, and events are read up to the end only.
  return [...headers.values()].filter(({ height }) => (height >= from && height <= end.height) || wanted.has(height))
}

/** If few: all. If many: the newest, a sparse set below to find the fork after a reorg, and on the first poll also the lowest. */
function newHeights({ cursor, from, end }: Step): readonly bigint[] {
  const count = end.height - from + 1n
  if (count <= DENSE_HEIGHTS) return heightsBetween(from, end.height)
  const sparse = heightsBetween(0n, (count - 1n) / SPARSE_BLOCKS).map((index) => end.height - index * SPARSE_BLOCKS)
  if (cursor !== null && count <= SPARSE_BLOCKS) return sparse
  const lowest = end.height - (count < NEWEST_HEIGHTS ? count : NEWEST_HEIGHTS) + 1n
  return [...(cursor === null ? [from] : []), ...sparse, ...heightsBetween(lowest, end.height)]
}

/** The new final block, remembered to tell a reorg below it from one above it. */
function finalToRemember({ cursor, end, finalHeight }: Step): readonly bigint[] {
  const isNews = finalHeight !== null && finalHeight > (cursor?.finalHeight ?? 0n) && finalHeight <= end.height
  return isNews && finalHeight !== cursor?.height ? [finalHeight] : []
}

async function rewindToFork(watch: Watch, tip: Block): Promise<PollResult> {
  const { db, client, onReorg, guard = createFinalGuard() } = watch
  const chain = client.chain.id
  const cursor = await readCursor(db, chain)
  const fork = await findFork(db, client, tip)
  if (cursor === null || fork === null) return NOTHING_NEW
  const falseAbove = await guard.judge(db, client, fork)
  onReorg({ chain, from: cursor.height, to: fork.ancestor.height })
  await rewind(db, chain, fork.ancestor, falseAbove)
  return { changed: true, behind: true }
}
