/**
 * Unconfirmed transactions of watched addresses from an Esplora server, which is asked for one address at a time. A look has a bounded number of requests:
 * those of funded orders come first, and strangers, who can make any number of orders for nothing, take nothing from them. The others take turns: the newest
 * once, at once, and all of them in a fixed sequence, so that no number of new orders keeps an older one from its turn. Addresses that showed something are
 * asked in every look, so that what was seen does not seem to be gone. What a look misses is seen later, or when it is mined.
 */
import type { ActiveSwap, WatchedSwaps } from '@tandem/chain-kit/port/watched-swaps.ts'
import type { ParsedTransaction } from '../script/transaction.ts'
import type { EsploraHttp } from './esplora-http.ts'
import { inParallel } from './in-parallel.ts'

/** Of funded orders that are listed: with more of them the newest of the rest wait for a block. */
const MAX_FUNDED = 1_000
/** Addresses in one look, beside those with something unconfirmed. */
const LOOK_ADDRESSES = 20
/** Of these, of funded orders. */
const LOOK_FUNDED = 10
/** Of new orders, for the first time. All others are for the turns. */
const LOOK_NEW = 5
/** Of those with something unconfirmed. Anyone can pay to many addresses, for a fee each. */
const LOOK_REPEATS = 40
/** Addresses that are remembered, also of orders that have ended. */
const MAX_KEPT = 5_000

export function createMempoolLooks(http: Pick<EsploraHttp, 'unconfirmed' | 'transaction'>) {
  /** The number of the look in which an address was last asked. The longest ago first. */
  const lastAsked = new Map<string, number>()
  const shown = new Set<string>()
  /** Where the turns of all go on. */
  let turn: string | null = null
  let look = 0

  const longestAgo = (addresses: readonly string[]) =>
    // Stable: those never asked come first, the newest of them before all.
    addresses.toSorted((a, b) => (lastAsked.get(a) ?? 0) - (lastAsked.get(b) ?? 0))

  async function turnsOf(watched: WatchedSwaps, count: number): Promise<readonly string[]> {
    const { swaps, next } = await watched.active(count, turn)
    turn = next
    return addressesOf(swaps)
  }

  async function chosen(watched: WatchedSwaps): Promise<ReadonlySet<string>> {
    const newest = addressesOf(await watched.newest(LOOK_ADDRESSES))
    // A look for one order alone comes between those for all, and takes no turn of theirs.
    if (newest.length < LOOK_ADDRESSES) return new Set(newest)
    const funded = longestAgo(addressesOf(await watched.funded(MAX_FUNDED))).slice(0, LOOK_FUNDED)
    const fresh = newest.filter((address) => !lastAsked.has(address)).slice(0, LOOK_NEW)
    const first = new Set([...funded, ...fresh])
    return new Set([...first, ...(await turnsOf(watched, LOOK_ADDRESSES - first.size))])
  }

  return async (watched: WatchedSwaps): Promise<readonly ParsedTransaction[]> => {
    look += 1
    const addresses = await chosen(watched)
    const repeats = [...shown].filter((address) => !addresses.has(address))
    const open = repeats.length === 0 ? null : await watched.find({ swapIds: repeats, spent: [] })
    const seen = longestAgo(repeats.filter((address) => open?.bySwapId(address) !== undefined)).slice(0, LOOK_REPEATS)
    const answers = await inParallel([...addresses, ...seen], async (address) => ({ address, found: await http.unconfirmed(address) }))
    for (const { address, found } of answers) {
      lastAsked.delete(address)
      lastAsked.set(address, look)
      if (found.length > 0) shown.add(address)
      else shown.delete(address)
    }
    for (const address of lastAsked.keys()) {
      if (lastAsked.size <= MAX_KEPT) break
      lastAsked.delete(address)
      shown.delete(address)
    }
    const txids = new Set(answers.flatMap(({ found }) => found.map(({ txid }) => txid)))
    return inParallel([...txids], http.transaction)
  }
}

function addressesOf(swaps: readonly ActiveSwap[]): readonly string[] {
  return swaps.map(({ swapId }) => swapId)
}
