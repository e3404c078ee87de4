/**
 * The headers of one node, believed only as far as they prove themselves: each hash is computed from the header, each has its proof of work, and
 * those near the tip form one chain of parents in which heights and targets follow the rules. A header that fails is a fault of the node.
 *
 * The first header is the anchor, with a few of its parents: nothing but their own work speaks for them. All later ones must connect to what we hold. Work alone
 * would not do: the real blocks of last year have it too, and with other heights they would be confirmations for free.
 */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { type BlockHeader, parseHeader } from '../script/transaction.ts'
import { mayFollow, workProblem } from './proof-of-work.ts'
import { reorgWhileReading } from './scan-blocks.ts'
import type { ToldHeader } from './told-header.ts'
import { HEADER_BYTES } from './transaction-walk.ts'

export type HeaderSource = {
  tipHash(): Promise<string>
  /** The header of this block. */
  header(hash: string): Promise<ToldHeader>
  /** The headers at this height and some below it, in one or two requests: for a walk over many. What it leaves out is asked for by hash. */
  page(height: bigint): Promise<readonly ToldHeader[]>
}

export interface CheckedHeaders {
  tip(): Promise<Block>
  /** By its hash. Rejects unless it is in the best chain of the node. Deeper than `LINKED_BLOCKS` its own work alone speaks for it. */
  block(hash: string): Promise<Block>
  /** The merkle root in its header. */
  merkleRoot(hash: string): Promise<string>
}

type Header = BlockHeader & Pick<Block, 'height'>

/** So far below the tip, a header is connected to it: deeper than any confirmation or timelock that we count. */
const LINKED_BLOCKS = 1_000n
/** So many parents of the anchor are held: a reorg that is deeper needs the headers of the branch that was left, which not every node still has. */
const ANCHOR_BLOCKS = 12n
/** A node that is ahead of us by more than this is not followed without a restart: its headers could be a walk through all of history. */
const MAX_WALK = 20_000n
/** Headers are kept in memory as far below the tip as this. */
const KEPT_BLOCKS = 2_500n
const MAX_KEPT = 5_000
/** A walk of at least this length reads pages. */
const PAGE_WORTHWHILE = 4n

export function createCheckedHeaders({ work }: Pick<BitcoinNetwork, 'work'>, source: HeaderSource): CheckedHeaders {
  /** Each is checked by itself. */
  const known = new Map<string, Header>()
  const asked = new Map<string, Promise<Header>>()
  /** Those that are connected to a tip that we have accepted. */
  const linked = new Set<string>()
  let newest: Header | null = null
  let anchoring: Promise<Header> | null = null

  /** The same hash is the same header, whose work was checked. */
  async function check({ height, bytes }: ToldHeader): Promise<Header> {
    const header = { height, ...parseHeader(Uint8Array.from(bytes)) }
    const same = known.get(header.hash)
    if (same !== undefined) return same
    const problem = await workProblem(bytes, header, work)
    if (problem !== null) throw faulty(header, problem)
    return header
  }

  function headerOf(hash: string): Promise<Header> {
    const ready = known.get(hash)
    if (ready !== undefined) return Promise.resolve(ready)
    const running = asked.get(hash) ?? readHeader(hash).finally(() => asked.delete(hash))
    asked.set(hash, running)
    return running
  }

  async function readHeader(hash: string): Promise<Header> {
    const header = await check(await source.header(hash))
    if (header.hash !== hash) throw new ChainFailure('unreachable', `the node answered with another header than that of ${hash}`)
    known.set(hash, header)
    return header
  }

  /** `stepsLeft`: how much longer the walk is. */
  async function parentOf(child: Header, stepsLeft: bigint): Promise<Header> {
    if (!known.has(child.parentHash) && stepsLeft >= PAGE_WORTHWHILE) {
      for (const header of await Promise.all((await source.page(child.height - 1n)).map(check)))
        if (!known.has(header.hash)) known.set(header.hash, header)
    }
    const parent = await headerOf(child.parentHash)
    if (child.height !== parent.height + 1n) {
      forgetUnlinked()
      throw faulty(child, `is said to have height ${child.height}, but its parent to have height ${parent.height}`)
    }
    if (!mayFollow(parent.bits, child.bits, child.height, work)) throw faulty(child, 'has another difficulty than its parent allows')
    return parent
  }

  /** Walks from a tip down to a header that we hold. If a reorg reaches below all of them, also down the branch that was left, to where the two part. */
  async function follow(tip: Header): Promise<Header> {
    if (newest === null) await ancestorAt(tip, tip.height > ANCHOR_BLOCKS ? tip.height - ANCHOR_BLOCKS : 0n)
    else if (!linked.has(tip.hash)) {
      const { height: newestHeight } = newest
      let lowest = lowestLinked(newest)
      assertNear(tip, newestHeight, lowest.height)
      const walked = [tip]
      for (let at = tip; !linked.has(at.hash); ) {
        if (at.height > lowest.height) {
          // How deep a reorg is, only the walk tells: likely as much again as it has gone.
          at = await parentOf(at, at.height > newestHeight ? at.height - newestHeight : BigInt(walked.length))
          walked.push(at)
        } else {
          lowest = await parentOf(lowest, 0n)
          linked.add(lowest.hash)
        }
      }
      for (const { hash } of walked) linked.add(hash)
    }
    linked.add(tip.hash)
    newest = tip
    if (known.size > MAX_KEPT) forgetBelow(tip.height - KEPT_BLOCKS)
    return tip
  }

  function assertNear(tip: Header, newestHeight: bigint, lowestHeight: bigint): void {
    const [above, below] = [tip.height - newestHeight, lowestHeight - tip.height]
    if (above <= MAX_WALK && below <= LINKED_BLOCKS) return
    forgetUnlinked()
    if (above > MAX_WALK) throw faulty(tip, `is said to be ${above} blocks above the newest that we know: if that is right, restart`)
    throw faulty(tip, `is said to be ${below} blocks below the lowest that we know: the node is not synced, or if that is right, restart`)
  }

  /** Of the chain of the newest. */
  function lowestLinked(from: Header): Header {
    let at = from
    for (let parent = known.get(at.parentHash); parent !== undefined && linked.has(parent.hash); parent = known.get(at.parentHash))
      at = parent
    return at
  }

  /** A height is false, perhaps of a header that was read before: what is not proven is asked for again. */
  function forgetUnlinked(): void {
    for (const hash of known.keys()) if (!linked.has(hash)) known.delete(hash)
  }

  /** And what is not connected. */
  function forgetBelow(height: bigint): void {
    for (const [hash, header] of known) {
      if (linked.has(hash) && header.height >= height) continue
      known.delete(hash)
      linked.delete(hash)
    }
  }

  /** The ancestor of the newest header at this height. */
  async function ancestorAt(tip: Header, height: bigint): Promise<Header> {
    let at = tip
    while (at.height > height) {
      at = await parentOf(at, at.height - height)
      linked.add(at.hash)
    }
    return at
  }

  async function isInChain(header: Header, tip: Header): Promise<boolean> {
    if (tip.height - header.height > LINKED_BLOCKS) return true
    return (await ancestorAt(tip, header.height)).hash === header.hash
  }

  const readTip = async () => follow(await headerOf(await source.tipHash()))
  /** A tip to connect to: it need not be the newest at this moment. */
  async function recentTip(): Promise<Header> {
    if (newest !== null) return newest
    anchoring ??= readTip().finally(() => {
      anchoring = null
    })
    return anchoring
  }

  return {
    tip: async () => blockOf(await readTip()),
    async block(hash) {
      const [header, tip] = await Promise.all([headerOf(hash), recentTip()])
      if (header.height > tip.height) return blockOf(await follow(header))
      if (await isInChain(header, tip)) return blockOf(header)
      // The node has left the branch of its last tip, or contradicts itself.
      if (await isInChain(header, await readTip())) return blockOf(header)
      forgetUnlinked()
      throw reorgWhileReading(header.height)
    },
    merkleRoot: async (hash) => (await headerOf(hash)).merkleRoot,
  }
}

/** Throws unless the header of a raw block has its proof of work. */
export async function assertWork(block: Uint8Array, header: BlockHeader, { work }: Pick<BitcoinNetwork, 'work'>): Promise<void> {
  const problem = await workProblem(block.subarray(0, HEADER_BYTES), header, work)
  if (problem !== null) throw faulty(header, problem)
}

function faulty({ hash }: Pick<BlockHeader, 'hash'>, problem: string): ChainFailure {
  return new ChainFailure('unreachable', `the node shows a false header: block ${hash} ${problem}`)
}

function blockOf({ height, hash, parentHash, time }: Header): Block {
  return { height, hash, parentHash, time }
}
