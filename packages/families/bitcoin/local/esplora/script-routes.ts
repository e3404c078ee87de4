// Serves the routes of the Esplora interface about an address or a script hash.
import { type ScriptStats, scriptHashOf } from '../chain/chain-index.ts'
import type { JsonValue } from '../http/json.ts'
import type { MempoolEntry } from '../mempool/mempool.ts'
import type { BitcoinNode } from '../node.ts'
import { outpointKey } from '../transaction/transaction.ts'
import { statusView, transactionView } from './esplora-views.ts'

const CHAIN_PAGE = 25
const MEMPOOL_PAGE = 50

type Subject = { readonly kind: 'address' | 'scripthash'; readonly name: string; readonly scriptHash: string }

function statsView(stats: ScriptStats, txCount: number): JsonValue {
  return {
    funded_txo_count: stats.fundedCount,
    funded_txo_sum: stats.fundedSats,
    spent_txo_count: stats.spentCount,
    spent_txo_sum: stats.spentSats,
    tx_count: txCount,
  }
}

function mempoolStats(entries: readonly MempoolEntry[], scriptHash: string): ScriptStats {
  const stats = { fundedCount: 0, fundedSats: 0n, spentCount: 0, spentSats: 0n }
  for (const { transaction, spent } of entries) {
    for (const { script, amount } of transaction.outputs) {
      if (scriptHashOf(script) !== scriptHash) continue
      stats.fundedCount += 1
      stats.fundedSats += amount
    }
    for (const { script, amount } of spent) {
      if (scriptHashOf(script) !== scriptHash) continue
      stats.spentCount += 1
      stats.spentSats += amount
    }
  }
  return stats
}

export function scriptSummary(node: BitcoinNode, { kind, name, scriptHash }: Subject): JsonValue {
  const history = node.index.history(scriptHash)
  const pending = node.mempool.touching(scriptHash)
  return {
    [kind]: name,
    chain_stats: statsView(history.stats, history.locations.length),
    mempool_stats: statsView(mempoolStats(pending, scriptHash), pending.length),
  }
}

function mempoolTransactions(node: BitcoinNode, scriptHash: string): JsonValue[] {
  const newestFirst = node.mempool.touching(scriptHash).reverse().slice(0, MEMPOOL_PAGE)
  return newestFirst.map(({ transaction, spent }) => transactionView(node, { transaction, block: null, spent }))
}

function chainTransactions(node: BitcoinNode, scriptHash: string, lastSeen: string | undefined): JsonValue[] {
  const newestFirst = [...node.index.history(scriptHash).locations].reverse()
  const start = lastSeen === undefined ? 0 : newestFirst.findIndex(({ transaction }) => transaction.txid === lastSeen) + 1
  if (lastSeen !== undefined && start === 0) return []
  return newestFirst
    .slice(start, start + CHAIN_PAGE)
    .map(({ transaction, node: block, position }) => transactionView(node, { transaction, block, spent: block.undo?.[position] ?? [] }))
}

export function scriptTransactions(
  node: BitcoinNode,
  { scriptHash }: Subject,
  scope: string | undefined,
  lastSeen: string | undefined,
): JsonValue {
  if (scope === undefined) return [...mempoolTransactions(node, scriptHash), ...chainTransactions(node, scriptHash, undefined)]
  if (scope === 'mempool') return mempoolTransactions(node, scriptHash)
  if (scope === 'chain') return chainTransactions(node, scriptHash, lastSeen)
  throw new EsploraError(404, 'endpoint does not exist')
}

export function scriptCoins(node: BitcoinNode, { scriptHash }: Subject): readonly JsonValue[] {
  const isUnspent = (txid: string, index: number) => node.mempool.spenderOf(outpointKey(txid, index)) === undefined
  const confirmed = [...node.index.history(scriptHash).coins.values()]
    .filter(({ txid, index }) => isUnspent(txid, index))
    .map((coin) => ({ txid: coin.txid, vout: coin.index, status: statusView(coin.node), value: coin.amount }))
  const pending = node.mempool.touching(scriptHash).flatMap(({ transaction }) =>
    transaction.outputs.flatMap(({ script, amount }, vout) => {
      if (scriptHashOf(script) !== scriptHash || !isUnspent(transaction.txid, vout)) return []
      return [{ txid: transaction.txid, vout, status: statusView(null), value: amount }]
    }),
  )
  return [...pending, ...confirmed]
}

export class EsploraError extends Error {
  override readonly name = 'EsploraError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}
