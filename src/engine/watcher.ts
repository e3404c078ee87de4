/** Listens to one chain: new blocks, reorgs, and what they and the mempool say about the swaps of orders. */
import type { ChainClient } from '../chains/port/client.ts'
import { ChainFailure } from '../chains/port/failure.ts'
import type { Block, Chain } from '../protocol/chain.ts'
import type { HtlcEvent } from '../protocol/htlc.ts'
import { holdLease } from '../store/actions/leases.ts'
import {
  type HeardBlock,
  REMEMBERED_BLOCKS,
  readBlocks,
  readCursor,
  recordListening,
  rewind,
  SPARSE_BLOCKS,
} from '../store/chain/events.ts'
import type { Database } from '../store/database/database.ts'
import { createFinalGuard, type FinalGuard, type Fork } from './final-guard.ts'
import { createWatchList, type WatchList } from './watch-list.ts'
import { withDeposits } from './watched-swaps.ts'

/** Blocks asked for in one step when catching up. */
const STEP_BLOCKS = 500n
const LEASE_SECONDS = 10

export type Watch = {
  readonly db: Database
  readonly client: ChainClient
  /** Of all processes on this database one listens to a chain at a time. */
  readonly holder: string
  /** Kept from look to look; without one, everything is read anew. */
  readonly list?: WatchList
  /** Kept likewise; without one, no reorg of what was final is ever believed. */
  readonly guard?: FinalGuard
  readonly onReorg: (details: { readonly chain: string; readonly from: bigint; readonly to: bigint }) => void
}

export type WatchResult = {
  /** Something happened to a swap, or the tip moved: states may have changed. */
  readonly changed: boolean
  /** There are more blocks to catch up with. */
  readonly behind: boolean
}

/** One look. Reads the tip first and the watch list second: an order made in between is funded, if ever, in a later block. */
export async function watchOnce(watch: Watch): Promise<WatchResult> {
  const { db, client, holder, onReorg, list = createWatchList(client.chain), guard = createFinalGuard() } = watch
  const chain = client.chain.id
  const tip = await client.tip()
  if (!(await holdLease(db, `watch ${chain}`, holder, LEASE_SECONDS))) return { changed: false, behind: false }
  const cursor = await readCursor(db, chain)
  if (cursor !== null) {
    // Behind one address there may be nodes of different speed: one that stops at a block we know has not replaced anything.
    const isSlower = tip.height < cursor.height && (await readBlocks(db, chain)).some((block) => block.hash === tip.hash)
    if (isSlower) throw new ChainFailure('unreachable', `${chain}: the node is behind block ${cursor.height}`)
    const fork = await findFork(db, client, cursor, tip)
    if (fork !== null) {
      const falseAbove = await guard.judge(db, client, fork)
      onReorg({ chain, from: cursor.height, to: fork.ancestor.height })
      await rewind(db, chain, fork.ancestor, falseAbove)
      return { changed: true, behind: true }
    }
  }
  const from = cursor === null ? firstHeight(client.chain, tip) : cursor.height + 1n
  const to = tip.height - from >= STEP_BLOCKS ? from + STEP_BLOCKS - 1n : tip.height
  const newest = await readHeaders(client, cursor, from, to)
  const finalHeight = (await client.finalHeight?.()) ?? null
  const blocks = cursor === null ? [...(await readAnchor(client, finalHeight, from)), ...newest] : newest
  await list.refresh(db, cursor)
  const events = to >= from && list.size > 0 ? await client.events(list, from, to) : []
  const minedDeposits = new Map(events.filter((event) => event.kind === 'initiated').map((event) => [event.deposit, event.swapId]))
  const unconfirmed = list.size > 0 ? await client.unconfirmedEvents(withDeposits(list, minedDeposits)) : []
  if (!(await fitTogether(client, blocks, events))) return { changed: false, behind: false }
  const mined = new Set(events.map((event) => `${event.tx} ${event.index}`))
  const recorded = await recordListening(db, {
    chain,
    after: cursor,
    blocks,
    finalHeight,
    events,
    unconfirmed: unconfirmed.filter((event) => !mined.has(`${event.tx} ${event.index}`)),
  })
  if (recorded === null) return { changed: true, behind: true }
  list.recorded(blocks.at(-1) ?? cursor, events)
  return { changed: recorded.changed || blocks.length > 0, behind: to < tip.height }
}

/** On a chain we never listened to: so low that a reorg we allow for does not reach below what we remember. */
function firstHeight({ finalityBlocks }: Chain, tip: Block): bigint {
  const height = tip.height - BigInt(finalityBlocks)
  return height > 0n ? height : 0n
}

/** On a chain that says what is final there may be reorgs below the first block we look at: one that is final, to come back to. */
async function readAnchor(client: ChainClient, finalHeight: bigint | null, from: bigint): Promise<readonly Block[]> {
  const height = finalHeight === null ? 0n : finalHeight - (finalHeight % SPARSE_BLOCKS)
  const anchor = height > 0n && height < from ? await client.blockAt(height) : null
  return anchor === null ? [] : [anchor]
}

/** Headers and events were read one after the other: after a reorg in between they tell of two different chains. */
async function fitTogether(client: ChainClient, blocks: readonly Block[], events: readonly HtlcEvent[]): Promise<boolean> {
  const hashes = new Map(blocks.map((block) => [block.height, block.hash]))
  if (!events.every(({ block }) => block !== null && (hashes.get(block.height) ?? block.hash) === block.hash)) return false
  const last = blocks.at(-1)
  return last === undefined || (await client.blockAt(last.height))?.hash === last.hash
}

/** Null while the chain still has the newest block we know. */
async function findFork(db: Database, client: ChainClient, cursor: HeardBlock, tip: Block): Promise<Fork | null> {
  /** Only another block in its place shows that one is gone: to be without it is no answer of a node that has come further. */
  async function isGone({ height, hash }: Block): Promise<boolean> {
    if (height > tip.height) return true
    const block = height === tip.height ? tip : await client.blockAt(height)
    if (block === null) throw new ChainFailure('unreachable', `${client.chain.id}: the node does not have block ${height}`)
    return block.hash !== hash
  }

  if (!(await isGone(cursor))) return null
  const known = await readBlocks(db, client.chain.id)
  const oldest = known.at(-1)
  if (oldest === undefined || (await isGone(oldest)))
    throw new Error(
      `${client.chain.id} has replaced all of the last ${known.length} blocks we know: this is another chain than before. ` +
        'Nothing is believed or started on it until an operator has looked.',
    )
  // What is below a block that is still there is still there, too.
  let [gone, kept] = [0, known.length - 1]
  while (kept - gone > 1) {
    const middle = Math.floor((gone + kept) / 2)
    if (await isGone(known[middle] ?? oldest)) gone = middle
    else kept = middle
  }
  return { ancestor: known[kept] ?? oldest, lowestGone: known[gone] ?? cursor }
}

/** Headers [from, to], linked to each other and to the cursor; of a long stretch only the end is kept. */
async function readHeaders(client: ChainClient, cursor: Block | null, from: bigint, to: bigint): Promise<readonly Block[]> {
  const first = to - from >= BigInt(REMEMBERED_BLOCKS) ? to - BigInt(REMEMBERED_BLOCKS) + 1n : from
  const blocks: Block[] = []
  for (let height = first; height <= to; height += 1n) {
    const block = await client.blockAt(height)
    const parent = blocks.at(-1) ?? (height === from ? cursor : null)
    if (block === null || (parent !== null && block.parentHash !== parent.hash)) {
      throw new ChainFailure('unreachable', `${client.chain.id} is reorganising at block ${height}`)
    }
    blocks.push(block)
  }
  return blocks
}
