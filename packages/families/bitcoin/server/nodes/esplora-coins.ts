/**
 * Reads the coins of an address from its history, for servers that do not list them: some refuse more than 500, and anyone can send that many at little
 * cost. The history comes in pages, newest first, so a spend is read before the output that it spends: a part of the history shows only unspent coins,
 * but perhaps not all. History that is deep in the chain is cached and read once.
 */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Outpoint } from '../script/transaction.ts'
import type { EsploraHttp, EsploraUtxo, HistoryTransaction } from './esplora-http.ts'

/** A page has 25 transactions. */
const MAX_PAGES = 400
/** No reorg is deeper. */
const DEEP_BLOCKS = 100n
/** Our own addresses are few. */
const MAX_ADDRESSES = 20

type Http = Pick<EsploraHttp, 'historyPage' | 'unconfirmedHistory'>
/** `newest` is the newest deep transaction. `coins` are unspent after it. */
type Deep = { readonly newest: string; readonly coins: readonly EsploraUtxo[] }
type Walked = { readonly transactions: readonly HistoryTransaction[]; readonly end: 'known' | 'beginning' | 'cut' }

export type HistoryCoins = (address: string, script: string, tipHeight: bigint) => Promise<readonly EsploraUtxo[]>

export function createHistoryCoins(http: Http): HistoryCoins {
  const deep = new Map<string, Deep>()

  async function walk(address: string, known: string | undefined): Promise<Walked> {
    const transactions: HistoryTransaction[] = []
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const found = await http.historyPage(address, transactions.at(-1)?.txid ?? null)
      const at = found.findIndex(({ txid }) => txid === known)
      transactions.push(...(at < 0 ? found : found.slice(0, at)))
      if (at >= 0) return { transactions, end: 'known' }
      if (found.length === 0) return { transactions, end: 'beginning' }
    }
    return { transactions, end: 'cut' }
  }

  return async (address, script, tipHeight) => {
    const before = deep.get(address)
    const unconfirmed = await http.unconfirmedHistory(address)
    const { transactions, end } = await walk(address, before?.newest)
    // If the transaction that we know is missing, the server shows another history.
    const known = end === 'beginning' ? [] : (before?.coins ?? [])
    const first = transactions.findIndex(({ status }) => status !== null && tipHeight - status.height >= DEEP_BLOCKS)
    const [newest, older] = first < 0 ? [undefined, []] : [transactions[first], transactions.slice(first)]
    if (newest !== undefined) {
      deep.delete(address)
      deep.set(address, { newest: newest.txid, coins: unspentIn(older, known, script) })
      for (const oldest of deep.keys()) if (deep.size > MAX_ADDRESSES) deep.delete(oldest)
    }
    const coins = unspentIn([...unconfirmed, ...transactions], known, script)
    if (coins.length === 0 && end === 'cut')
      throw new ChainFailure(
        'would-fail',
        `Esplora does not list the coins of ${address}, and its newest ${transactions.length} transactions show none; add your own node, which does (endpoint "rpc")`,
      )
    return coins
  }
}

/** `transactions` come newest first. `known` are the coins that were unspent before them. */
function unspentIn(transactions: readonly HistoryTransaction[], known: readonly EsploraUtxo[], script: string): readonly EsploraUtxo[] {
  const spent = new Set<Outpoint>(transactions.flatMap((one) => one.spent))
  const made = transactions.flatMap(({ txid, status, outputs }) =>
    outputs.flatMap((output, vout): EsploraUtxo[] =>
      output.script === script ? [{ txid, outpoint: `${txid}:${vout}`, amount: output.amount, status }] : [],
    ),
  )
  return [...made, ...known].filter(({ outpoint }) => !spent.has(outpoint))
}
