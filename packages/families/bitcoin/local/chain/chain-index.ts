// Indexes the active chain: transactions by id, spenders by outpoint, histories and coins by output script.
import { sha256 } from '@noble/hashes/sha2.js'
import { isUnspendable } from '../script/standard-scripts.ts'
import { outpointKey, type Transaction, type TransactionOutput } from '../transaction/transaction.ts'
import { toHex } from '../wire/bytes.ts'
import type { BlockNode } from './block-node.ts'

export type TransactionLocation = { readonly node: BlockNode; readonly position: number; readonly transaction: Transaction }
export type ConfirmedSpender = { readonly txid: string; readonly inputIndex: number; readonly node: BlockNode }
export type IndexedCoin = TransactionOutput & { readonly txid: string; readonly index: number; readonly node: BlockNode }

export type ScriptStats = {
  readonly fundedCount: number
  readonly fundedSats: bigint
  readonly spentCount: number
  readonly spentSats: bigint
}

export type ScriptHistory = {
  readonly locations: readonly TransactionLocation[]
  readonly coins: ReadonlyMap<string, IndexedCoin>
  readonly stats: ScriptStats
}

type MutableHistory = { locations: TransactionLocation[]; coins: Map<string, IndexedCoin>; stats: ScriptStats }

export type ChainIndex = {
  transaction(txid: string): TransactionLocation | undefined
  spender(outpoint: string): ConfirmedSpender | undefined
  history(scriptHash: string): ScriptHistory
  connect(node: BlockNode): void
  disconnect(node: BlockNode): void
}

const NO_STATS: ScriptStats = { fundedCount: 0, fundedSats: 0n, spentCount: 0, spentSats: 0n }

/** Esplora's key is the SHA256 of the script, not reversed. */
export function scriptHashOf(script: Uint8Array): string {
  return toHex(sha256(script))
}

export function createChainIndex(): ChainIndex {
  const transactions = new Map<string, TransactionLocation>()
  const spenders = new Map<string, ConfirmedSpender>()
  const histories = new Map<string, MutableHistory>()

  function historyOf(script: Uint8Array): MutableHistory {
    const key = scriptHashOf(script)
    let history = histories.get(key)
    if (history === undefined) {
      history = { locations: [], coins: new Map(), stats: NO_STATS }
      histories.set(key, history)
    }
    return history
  }

  function note(history: MutableHistory, location: TransactionLocation): void {
    if (history.locations.at(-1)?.transaction.txid !== location.transaction.txid) history.locations.push(location)
  }

  function connectTransaction(location: TransactionLocation): void {
    const { node, position, transaction } = location
    const { txid } = transaction
    transactions.set(txid, location)
    for (const [inputIndex, coin] of (node.undo?.[position] ?? []).entries()) {
      const input = transaction.inputs[inputIndex]
      if (input === undefined) continue
      const outpoint = outpointKey(input.txid, input.index)
      spenders.set(outpoint, { txid, inputIndex, node })
      const history = historyOf(coin.script)
      history.coins.delete(outpoint)
      const { stats } = history
      history.stats = { ...stats, spentCount: stats.spentCount + 1, spentSats: stats.spentSats + coin.amount }
      note(history, location)
    }
    for (const [index, output] of transaction.outputs.entries()) {
      if (isUnspendable(output.script)) continue
      const history = historyOf(output.script)
      history.coins.set(outpointKey(txid, index), { ...output, txid, index, node })
      const { stats } = history
      history.stats = { ...stats, fundedCount: stats.fundedCount + 1, fundedSats: stats.fundedSats + output.amount }
      note(history, location)
    }
  }

  function forget(history: MutableHistory, txid: string): void {
    if (history.locations.at(-1)?.transaction.txid === txid) history.locations.pop()
  }

  function disconnectTransaction(node: BlockNode, position: number, transaction: Transaction, spent: readonly IndexedSpend[]): void {
    const { txid } = transaction
    for (const [index, output] of transaction.outputs.entries()) {
      if (isUnspendable(output.script)) continue
      const history = historyOf(output.script)
      history.coins.delete(outpointKey(txid, index))
      const { stats } = history
      history.stats = { ...stats, fundedCount: stats.fundedCount - 1, fundedSats: stats.fundedSats - output.amount }
      forget(history, txid)
    }
    for (const { outpoint, coin } of spent) {
      spenders.delete(outpoint)
      const history = historyOf(coin.script)
      history.coins.set(outpoint, coin)
      const { stats } = history
      history.stats = { ...stats, spentCount: stats.spentCount - 1, spentSats: stats.spentSats - coin.amount }
      forget(history, txid)
    }
    if (transactions.get(txid)?.node === node && transactions.get(txid)?.position === position) transactions.delete(txid)
  }

  type IndexedSpend = { outpoint: string; coin: IndexedCoin }

  /** Blocks are disconnected newest first, so the transactions that created the spent coins are still indexed. */
  function spentBy(transaction: Transaction): IndexedSpend[] {
    return transaction.inputs.flatMap((input) => {
      const origin = transactions.get(input.txid)
      const output = origin?.transaction.outputs[input.index]
      if (origin === undefined || output === undefined) return []
      return [
        { outpoint: outpointKey(input.txid, input.index), coin: { ...output, txid: input.txid, index: input.index, node: origin.node } },
      ]
    })
  }

  return {
    transaction: (txid) => transactions.get(txid),
    spender: (outpoint) => spenders.get(outpoint),
    history: (scriptHash) => histories.get(scriptHash) ?? { locations: [], coins: new Map(), stats: NO_STATS },
    connect(node) {
      for (const [position, transaction] of node.block.transactions.entries()) connectTransaction({ node, position, transaction })
    },
    disconnect(node) {
      for (const [position, transaction] of [...node.block.transactions.entries()].reverse())
        disconnectTransaction(node, position, transaction, spentBy(transaction))
    },
  }
}
