/**
 * Unconfirmed transactions of watched addresses from an Esplora server, which is asked for one address at a time. A look has a bounded number of requests: addresses
 * take turns, and those that showed something are asked in every look, so that what was seen does not seem to be gone. What a look misses is seen later, or
 * when it is mined.
 */
import type { WatchedSwaps } from '../../port/watched-swaps.ts'
import type { ParsedTransaction } from '../script/transaction.ts'
import type { EsploraHttp } from './esplora-http.ts'
import { inParallel } from './in-parallel.ts'

/** The newest open swaps take turns: older ones are hardly ever still unpaid, or their deposits are mined. */
const MAX_TURNS = 1_000
/** Addresses in one look, beside those with something unconfirmed. */
const LOOK_ADDRESSES = 20
/** Of those with something unconfirmed. Anyone can pay to many addresses, for a fee each. */
const LOOK_REPEATS = 40
/** Addresses that are remembered, also of orders that have ended. */
const MAX_KEPT = 5_000

export function createMempoolLooks(http: Pick<EsploraHttp, 'unconfirmed' | 'transaction'>) {
  /** The number of the look in which an address was last asked. */
  const lastAsked = new Map<string, number>()
  const shown = new Set<string>()
  let look = 0

  function forgetOthers(addresses: ReadonlySet<string>): void {
    for (const address of lastAsked.keys()) {
      if (addresses.has(address)) continue
      lastAsked.delete(address)
      shown.delete(address)
    }
  }

  return async (watched: WatchedSwaps): Promise<readonly ParsedTransaction[]> => {
    look += 1
    const addresses = (await watched.newest(MAX_TURNS)).map(({ swapId }) => swapId)
    // Stable: those never asked come first, the newest of them before all.
    const inTurn = addresses.toSorted((a, b) => (lastAsked.get(a) ?? 0) - (lastAsked.get(b) ?? 0))
    const repeats = inTurn.filter((address) => shown.has(address)).slice(0, LOOK_REPEATS)
    const asked = [...repeats, ...inTurn.filter((address) => !shown.has(address)).slice(0, LOOK_ADDRESSES)]
    const answers = await inParallel(asked, async (address) => ({ address, found: await http.unconfirmed(address) }))
    for (const { address, found } of answers) {
      lastAsked.set(address, look)
      if (found.length > 0) shown.add(address)
      else shown.delete(address)
    }
    // Not at once: a look for one order alone comes between those for all.
    if (lastAsked.size > MAX_KEPT) forgetOthers(new Set(addresses))
    const txids = new Set(answers.flatMap(({ found }) => found.map(({ txid }) => txid)))
    return inParallel([...txids], http.transaction)
  }
}
