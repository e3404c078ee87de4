/**
 * Lists the transactions that name an account, from one provider, by pages from the newest on. A list that ends too early hides a
 * transaction. So each page must connect to the one before, and the last must reach below the range, or the node must have all its blocks.
 */
import type { Address, Signature } from '@solana/kit'
import { list, malformed, record, whole } from '@tandem/chain-kit/providers/json.ts'
import { Refusal } from '@tandem/chain-kit/providers/refusal.ts'
import { signature, transactionError } from '../../terms/nodes/json.ts'
import type { AccountSignature, SignatureQuery, SolanaNode } from './node.ts'
import type { Rpc } from './rpc.ts'

/** This is the minimum of a page. A page grows with what was listed last, so one request usually suffices. */
const FIRST_PAGE = 32
const WHOLE_PAGE = 1000
/** Nodes list failed transactions of strangers too. After this many pages a read ends, and the next one goes on where it ended. */
const MAX_PAGES = 50
const MAX_UNFINISHED = 8
const MAX_ANCHORS = 10_000
/** A node's first available block is trusted for this time, and may move by so much in that time. */
const PRUNED_TTL_MS = 600_000
const PRUNED_SLOTS = 3000n

/**
 * A node that was restarted from a snapshot lacks the blocks in between, and their transactions in its lists. The gap is much longer than
 * what one poll reads, so only longer ranges, which a backfill reads, are checked.
 */
const CHECKED_SLOTS = 256n
const MAX_LISTED_SLOTS = 500_000n

type Listed = AccountSignature & { readonly failed: boolean }

/** A page can begin at an anchor: `above` is the last transaction before the page, and `first` the one that the page must begin with. */
type Anchor = { readonly above: AccountSignature; readonly first: Signature }

/** A walk is a read that is not finished. `found` has the newest part, newest first. */
type Walk = { readonly found: readonly AccountSignature[]; readonly next: Anchor }

export function createHistory(rpc: Rpc, blocks: Pick<SolanaNode, 'block' | 'finalSlot'>): Pick<SolanaNode, 'signatures'> {
  /** Anchors are in finalized slots, the highest first. A read of old slots begins at the lowest anchor above them. */
  const anchors = new Map<Address, readonly Anchor[]>()
  const unfinished = new Map<string, Walk>()
  const beginnings = new Map<Address, Signature>()
  let newestListed = 0
  let pruned: { readonly below: bigint; readonly atMs: number } | null = null

  async function readPage(of: Address, start: Anchor | null, limit: number): Promise<readonly Listed[]> {
    const options = { commitment: 'confirmed', limit, ...(start !== null && { before: start.above.signature }) }
    const listed = list(await rpc.read('getSignaturesForAddress', [of, options])).map(parseListed)
    if (listed.some(({ slot }, i) => slot > (listed[i - 1]?.slot ?? slot))) throw malformed('transactions from the newest to the oldest')
    // A node that does not know where the page begins lists nothing.
    if (start !== null && listed[0]?.signature !== start.first)
      throw new Refusal(0, `its list of transactions has a gap below slot ${start.above.slot}`)
    return listed
  }

  async function prunedBelow(slot: bigint): Promise<bigint> {
    const isFresh = pruned !== null && performance.now() - pruned.atMs < PRUNED_TTL_MS
    if (pruned !== null && isFresh && (pruned.below === 0n || pruned.below + PRUNED_SLOTS <= slot)) return pruned.below
    const first = whole(await rpc.read('getFirstAvailableBlock', []))
    // The chain itself begins there, so nothing is pruned.
    const isGenesis = first > slot && (await blocks.block(first))?.ordinal === 0n
    pruned = { below: isGenesis ? 0n : first, atMs: performance.now() }
    return pruned.below
  }

  /** A short page is the last one only if nothing is below it: some providers give fewer than requested. */
  async function assertBeginning(of: Address, oldest: Listed | undefined): Promise<void> {
    if (oldest === undefined || beginnings.get(of) === oldest.signature) return
    const options = { commitment: 'confirmed', limit: 1, before: oldest.signature }
    if (list(await rpc.read('getSignaturesForAddress', [of, options])).length > 0)
      throw new Refusal(0, `its list of transactions ends too early, at slot ${oldest.slot}`)
    beginnings.set(of, oldest.signature)
  }

  /** Block heights count without gaps: if fewer blocks are listed, the node lacks some. */
  async function assertAllBlocks({ from, last }: SignatureQuery): Promise<void> {
    if (last.height - from < CHECKED_SLOTS) return
    const lowest = last.height - MAX_LISTED_SLOTS > from ? last.height - MAX_LISTED_SLOTS : from
    const range = [Number(lowest), Number(last.height), { commitment: 'confirmed' }]
    const slots = list(await rpc.read('getBlocks', range)).map(whole)
    const [first, end] = await Promise.all([blocks.block(slots[0] ?? last.height), blocks.block(last.height)])
    if (first === null || end === null || end.ordinal - first.ordinal + 1n !== BigInt(slots.length))
      throw new Refusal(0, `it lacks blocks in slots ${lowest} to ${last.height}, and their transactions`)
  }

  /** A node that pruned a part of the range lists nothing there. */
  async function assertNotPruned(from: bigint): Promise<void> {
    const below = await prunedBelow(from)
    if (below > from)
      throw new Refusal(0, `it has pruned its history below slot ${below}, and transactions from slot ${from} on are needed`)
  }

  /** A node on another branch, or one that has not come so far, leaves transactions out. */
  async function assertOnBranch({ height, hash }: SignatureQuery['last']): Promise<void> {
    const block = await blocks.block(height)
    if (block === null) throw new Refusal(0, `it does not have block ${height} yet`)
    if (block.hash !== hash) throw new Refusal(0, `it is on another branch at slot ${height}`)
  }

  async function walkDown(query: SignatureQuery, walk: Walk | null, onPage: (walk: Walk) => void): Promise<AccountSignature[] | null> {
    const { address, from, to, last, maxCount = Number.POSITIVE_INFINITY } = query
    const found = [...(walk?.found ?? [])]
    let start = walk?.next ?? lowestAbove(anchors.get(address) ?? [], to)
    const isNewest = start === null
    let count = 0
    for (let pages = 1; pages <= MAX_PAGES; pages += 1) {
      const limit = Math.min(start === null ? FIRST_PAGE + 2 * newestListed : WHOLE_PAGE, WHOLE_PAGE, maxCount + 2)
      const listed = await readPage(address, start, limit)
      const isEnd = listed.length < limit
      count += listed.filter(({ slot }) => slot >= from).length
      if (isNewest) newestListed = count
      if (count > maxCount) return null
      const [above, oldest] = [listed.at(-2), listed.at(-1)]
      const isBelow = oldest !== undefined && oldest.slot < from
      // The next page begins with the oldest of this one.
      const own = isEnd || isBelow ? listed : listed.slice(0, -1)
      found.push(...own.filter(({ slot, failed }) => !failed && slot >= from && slot <= to))
      if (isEnd && !isBelow) await Promise.all([assertBeginning(address, oldest), assertNotPruned(from)])
      if (isEnd || isBelow) {
        if (pages > 1) await assertOnBranch(last)
        return found
      }
      if (above === undefined || oldest === undefined) throw malformed('a whole page')
      start = { above, first: oldest.signature }
      onPage({ found: [...found], next: start })
    }
    throw new Refusal(
      0,
      `its list of transactions is long: read down to slot ${start?.above.slot}, and slot ${from} is needed; the next read goes on`,
    )
  }

  /** An anchor in a block that may still be undone is useless later. */
  async function keepAnchors(of: Address, passed: readonly Anchor[]): Promise<void> {
    if (passed.length === 0) return
    const final = await blocks.finalSlot()
    const known = new Map([...(anchors.get(of) ?? []), ...passed].map((anchor) => [anchor.above.signature, anchor]))
    const all = [...known.values()].filter(({ above }) => above.slot <= final).sort((a, b) => Number(b.above.slot - a.above.slot))
    anchors.set(of, all.slice(0, MAX_ANCHORS))
  }

  function keepWalk(key: string, walk: Walk): void {
    unfinished.delete(key)
    unfinished.set(key, walk)
    const [oldest] = unfinished.keys()
    if (oldest !== undefined && unfinished.size > MAX_UNFINISHED) unfinished.delete(oldest)
  }

  return {
    async signatures(query) {
      const key = [query.address, query.from, query.to, query.last.hash].join(' ')
      const passed: Anchor[] = []
      const onPage = (walk: Walk) => {
        passed.push(walk.next)
        keepWalk(key, walk)
      }
      const [walked, branch, complete] = await Promise.allSettled([
        walkDown(query, unfinished.get(key) ?? null, onPage),
        assertOnBranch(query.last),
        assertAllBlocks(query),
      ])
      await keepAnchors(query.address, passed)
      if (branch.status === 'rejected') throw branch.reason
      if (complete.status === 'rejected') throw complete.reason
      if (walked.status === 'rejected') throw walked.reason
      unfinished.delete(key)
      return walked.value === null ? null : walked.value.map(({ signature: one, slot }) => ({ signature: one, slot })).reverse()
    },
  }
}

function lowestAbove(anchors: readonly Anchor[], slot: bigint): Anchor | null {
  return anchors.findLast(({ above }) => above.slot > slot) ?? null
}

function parseListed(value: unknown): Listed {
  const listed = record(value)
  return { signature: signature(listed.signature), slot: whole(listed.slot), failed: transactionError(listed.err) !== null }
}
