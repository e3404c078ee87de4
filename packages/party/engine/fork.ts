/** Finds where a reorg branched off among the blocks that we remember. They may be sparse, so the rewind may go a little too far. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import { readBlocks } from '../store/chain/events.ts'
import type { Database } from '../store/database/database.ts'
import type { Fork } from './final-guard.ts'
import { heightsBetween, lacksBlock, readHeaders } from './headers.ts'

/** The number of heights read around a missing block, at first and at most. */
const FIRST_REACH = 8n
const MAX_REACH = 2048n

/**
 * Returns null while the node still has our newest block. Only a different hash proves a reorg: a node whose tip is below our newest block,
 * and that agrees with us on the highest block that it has, lags behind.
 */
export async function findFork(db: Database, client: ChainClient, tip: Block): Promise<Fork | null> {
  const known = await readBlocks(db, client.chain.id)
  const [cursor, oldest] = [known[0], known.at(-1)]
  if (cursor === undefined || oldest === undefined) return null
  const newest = known.findIndex(({ height }) => height <= tip.height)
  const comparable = known[newest]
  if (comparable === undefined || !(await isGone(client, comparable, tip))) {
    if (cursor.height <= tip.height) return null
    throw new ChainFailure('unreachable', `${client.chain.id}: the node is behind block ${cursor.height}`)
  }
  if (await isGone(client, oldest, tip))
    throw new Error(
      `${client.chain.id} has replaced all of the last ${known.length} blocks we know: this is another chain than before. ` +
        'We ignore it and start nothing on it until an operator intervenes.',
    )
  // The ancestors of a canonical block are canonical.
  let [gone, kept] = [newest, known.length - 1]
  while (kept - gone > 1) {
    const middle = Math.floor((gone + kept) / 2)
    if (await isGone(client, known[middle] ?? oldest, tip)) gone = middle
    else kept = middle
  }
  return { ancestor: known[kept] ?? oldest, lowestGone: known[gone] ?? cursor }
}

async function isGone(client: ChainClient, { height, hash }: Block, tip: Block): Promise<boolean> {
  const header = height === tip.height ? tip : (await readHeaders(client, [height])).get(height)
  if (header !== undefined) return header.hash !== hash
  // Only a different hash at that height proves a reorg; a missing block below the tip is a faulty node, unless the height was skipped.
  if (!client.chain.heightsMaySkip) throw lacksBlock(client, height)
  await assertSkipped(client, height, tip)
  return true
}

/** A height was skipped if the next block names the block before that height as its parent. Rejects with 'unreachable' otherwise. */
async function assertSkipped(client: ChainClient, height: bigint, tip: Block): Promise<void> {
  for (let reach = FIRST_REACH; reach <= MAX_REACH; reach *= 2n) {
    const from = height > reach ? height - reach : 0n
    const to = height + reach < tip.height ? height + reach : tip.height
    const headers = [...(await readHeaders(client, heightsBetween(from, to))).values()]
    const before = headers.findLast((header) => header.height < height)
    const after = headers.find((header) => header.height >= height)
    if (before === undefined || after === undefined) continue
    if (after.height > height && after.parentHash === before.hash) return
    break
  }
  throw lacksBlock(client, height)
}
