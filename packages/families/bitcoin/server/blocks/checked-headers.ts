/**
 * Believes the headers of one node only as far as they prove themselves: each hash is computed from the header, each has its proof of
 * work, and those near the tip form one chain of parents in which heights and targets follow the rules. A header that fails is a fault of
 * the node.
 * The first header is the anchor, with a few of its parents: only their own work proves them. All later ones must connect to the headers
 * that we hold. Work alone is not enough: the real blocks of last year have it too, and with false heights they would be confirmations for
 * free.
 */
import { hexToBytes } from '@noble/hashes/utils.js'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { type BlockHeader, parseHeader } from '../script/transaction.ts'
import { mayFollow, workProblem } from './proof-of-work.ts'
import { reorgWhileReading } from './scan-blocks.ts'
import { HEADER_BYTES } from './transaction-walk.ts'

export type HeaderSource = {
  tipHash(): Promise<string>
  header(hash: string): Promise<ClaimedHeader>
  /** A page has the header at this height and some below it, for a walk over many. Headers that it leaves out are read by hash. */
  page(height: bigint): Promise<readonly ClaimedHeader[]>
}

export interface CheckedHeaders {
  tip(): Promise<Block>
  /** Rejects unless the block is in the best chain of the node. Below `LINKED_BLOCKS` only its own work proves it. */
  block(hash: string): Promise<Block>
  merkleRoot(hash: string): Promise<string>
}

type Header = BlockHeader & Pick<Block, 'height'>

/** Down to this depth a header is connected to the tip. It is deeper than any confirmation or timelock that we count. */
const LINKED_BLOCKS = 1_000n
/** This many parents are held below the anchor. A deeper reorg needs headers of the branch that was left, which some nodes have deleted. */
const ANCHOR_BLOCKS = 12n
/** We do not follow a node that is further ahead than this without a restart: the walk could go through all of history. */
const MAX_WALK = 20_000n
/** Headers are kept in memory down to this depth. */
const KEPT_BLOCKS = 2_500n
const MAX_KEPT = 5_000
/** A walk of at least this length reads pages. */
const MIN_PAGED_WALK = 4n

export function createCheckedHeaders({ work }: Pick<BitcoinNetwork, 'work'>, source: HeaderSource): CheckedHeaders {
  const known = new Map<string, Header>()
  const asked = new Map<string, Promise<Header>>()
  /** These headers are connected to a tip that we have accepted. */
  const linked = new Set<string>()
  let newest: Header | null = null
  let anchoring: Promise<Header> | null = null

  /** The same hash is the same header, whose work was checked. */
  async function check({ height, bytes }: ClaimedHeader): Promise<Header> {
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

  /** `stepsLeft` is the length of the walk that remains. */
  async function parentOf(child: Header, stepsLeft: bigint): Promise<Header> {
    if (!known.has(child.parentHash) && stepsLeft >= MIN_PAGED_WALK) {
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
          // Only the walk shows how deep a reorg is. We guess that as many steps remain as it has made.
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

  function lowestLinked(from: Header): Header {
    let at = from
    for (let parent = known.get(at.parentHash); parent !== undefined && linked.has(parent.hash); parent = known.get(at.parentHash))
      at = parent
    return at
  }

  /** A height is false, perhaps that of a header read earlier, so headers that are not proven must be read again. */
  function forgetUnlinked(): void {
    for (const hash of known.keys()) if (!linked.has(hash)) known.delete(hash)
  }

  /** Headers that are not linked are forgotten, too. */
  function forgetBelow(height: bigint): void {
    for (const [hash, header] of known) {
      if (linked.has(hash) && header.height >= height) continue
      known.delete(hash)
      linked.delete(hash)
    }
  }

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

/** `height` is not part of a header: the chain of parents proves it. */
export type ClaimedHeader = { readonly height: bigint; readonly bytes: Uint8Array }

export type HeaderFields = {
  readonly version: number
  readonly parentHash: string
  readonly merkleRoot: string
  readonly time: number
  readonly bits: number
  readonly nonce: number
}

/** Rebuilds the 80 bytes of a header, so that its hash is computed and not believed. */
export function encodeHeader({ version, parentHash, merkleRoot, time, bits, nonce }: HeaderFields): Uint8Array {
  const bytes = Buffer.alloc(HEADER_BYTES)
  bytes.writeInt32LE(version | 0, 0)
  bytes.set(hexToBytes(parentHash).reverse(), 4)
  bytes.set(hexToBytes(merkleRoot).reverse(), 36)
  bytes.writeUInt32LE(time, 68)
  bytes.writeUInt32LE(bits, 72)
  bytes.writeUInt32LE(nonce, 76)
  return bytes
}
