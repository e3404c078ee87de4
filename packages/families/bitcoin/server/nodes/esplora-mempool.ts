/**
 * Reads unconfirmed transactions of watched addresses from an Esplora server, which answers for one address at a time. A poll has a bounded number of
 * requests. Addresses of funded orders come first, so that strangers, who can make any number of orders for nothing, cannot displace them. The newest of
 * the others are read once soon, and all of them round robin, so that no number of new orders keeps an older one waiting. An address that showed something
 * is read in every poll, so that its transactions do not seem to disappear. A later poll, or the block, shows what a poll misses.
 */
import type { ActiveSwap, WatchedSwaps } from '@tandem/chain-kit/port/watched-swaps.ts'
import { inParallel } from '@tandem/chain-kit/providers/in-parallel.ts'
import type { ParsedTransaction } from '../script/transaction.ts'
import type { EsploraHttp } from './esplora-http.ts'

/** The newest funded orders beyond this limit wait for a block. */
const MAX_FUNDED = 1_000
/** A poll asks for this many addresses, beside those with something unconfirmed. */
const POLL_ADDRESSES = 20
/** This part of the poll is for funded orders. */
const POLL_FUNDED = 10
/** This part of the poll is for new orders that were never read. The remaining addresses are read round robin. */
const POLL_NEW = 5
/** A poll asks for this many addresses with something unconfirmed. Anyone can pay to many addresses, for a fee each. */
const POLL_REPEATS = 40
/** The addresses include those of orders that have ended. */
const MAX_KEPT = 5_000

export function createMempoolReads(http: Pick<EsploraHttp, 'unconfirmed' | 'transaction'>) {
  const lastRead = new Map<string, number>()
  const shown = new Set<string>()
  let nextPage: string | null = null
  let polls = 0

  const longestAgo = (addresses: readonly string[]) =>
    // The sort is stable: addresses that were never read come first, newest first.
    addresses.toSorted((a, b) => (lastRead.get(a) ?? 0) - (lastRead.get(b) ?? 0))

  async function roundRobin(watched: WatchedSwaps, count: number): Promise<readonly string[]> {
    const { swaps, next } = await watched.active(count, nextPage)
    nextPage = next
    return addressesOf(swaps)
  }

  async function chosen(watched: WatchedSwaps): Promise<ReadonlySet<string>> {
    const newest = addressesOf(await watched.newest(POLL_ADDRESSES))
    // A poll for a single order does not advance the round robin of the polls for all.
    if (newest.length < POLL_ADDRESSES) return new Set(newest)
    const funded = longestAgo(addressesOf(await watched.funded(MAX_FUNDED))).slice(0, POLL_FUNDED)
    const fresh = newest.filter((address) => !lastRead.has(address)).slice(0, POLL_NEW)
    const first = new Set([...funded, ...fresh])
    return new Set([...first, ...(await roundRobin(watched, POLL_ADDRESSES - first.size))])
  }

  return async (watched: WatchedSwaps): Promise<readonly ParsedTransaction[]> => {
    polls += 1
    const addresses = await chosen(watched)
    const repeats = [...shown].filter((address) => !addresses.has(address))
    const open = repeats.length === 0 ? null : await watched.find({ swapIds: repeats, spent: [] })
    const seen = longestAgo(repeats.filter((address) => open?.bySwapId(address) !== undefined)).slice(0, POLL_REPEATS)
    const answers = await inParallel([...addresses, ...seen], async (address) => ({ address, found: await http.unconfirmed(address) }))
    for (const { address, found } of answers) {
      lastRead.delete(address)
      lastRead.set(address, polls)
      if (found.length > 0) shown.add(address)
      else shown.delete(address)
    }
    for (const address of lastRead.keys()) {
      if (lastRead.size <= MAX_KEPT) break
      lastRead.delete(address)
      shown.delete(address)
    }
    const txids = new Set(answers.flatMap(({ found }) => found.map(({ txid }) => txid)))
    return inParallel([...txids], http.transaction)
  }
}

function addressesOf(swaps: readonly ActiveSwap[]): readonly string[] {
  return swaps.map(({ swapId }) => swapId)
}
