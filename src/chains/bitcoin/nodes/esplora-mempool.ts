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

export function createMempoolLooks(http: Pick<EsploraHttp, 'unconfirmed' | 'transaction'>) {
  /** The number of the look in which an address was last asked. */
  let lastAsked = new Map<string, number>()
  let shown = new Set<string>()
  let look = 0

  return async (watched: WatchedSwaps): Promise<readonly ParsedTransaction[]> => {
    look += 1
    const addresses = (await watched.newest(MAX_TURNS)).map(({ swapId }) => swapId)
    // Stable: those never asked come first, the newest of them before all.
    const inTurn = addresses.toSorted((a, b) => (lastAsked.get(a) ?? 0) - (lastAsked.get(b) ?? 0))
    const repeats = inTurn.filter((address) => shown.has(address)).slice(0, LOOK_REPEATS)
    const asked = [...repeats, ...inTurn.filter((address) => !shown.has(address)).slice(0, LOOK_ADDRESSES)]
    const answers = await inParallel(asked, async (address) => ({ address, found: await http.unconfirmed(address) }))
    const turns = new Map([...lastAsked, ...asked.map((address) => [address, look] as const)])
    lastAsked = new Map(addresses.flatMap((address) => [[address, turns.get(address) ?? 0] as const]))
    shown = new Set(answers.flatMap(({ address, found }) => (found.length > 0 ? [address] : [])))
    const txids = new Set(answers.flatMap(({ found }) => found.map(({ txid }) => txid)))
    return inParallel([...txids], http.transaction)
  }
}
