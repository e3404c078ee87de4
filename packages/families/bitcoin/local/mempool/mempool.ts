// Keeps unconfirmed transactions with their ancestors and descendants. evaluate-transaction.ts decides which may enter.
import { scriptHashOf } from '../chain/chain-index.ts'
import type { Coin } from '../chain/coins.ts'
import { outpointKey, type Transaction } from '../transaction/transaction.ts'

export type MempoolEntry = {
  readonly transaction: Transaction
  readonly feeSats: bigint
  /** Fees are measured against this virtual size. It is at least 20 weight-adjusted bytes for each signature operation. */
  readonly vsize: number
  readonly time: number
  readonly height: number
  readonly spent: readonly Coin[]
}

export type Spender = { readonly txid: string; readonly inputIndex: number }

export type Mempool = {
  readonly entries: ReadonlyMap<string, MempoolEntry>
  get(txid: string): MempoolEntry | undefined
  spenderOf(outpoint: string): Spender | undefined
  parents(entry: MempoolEntry): MempoolEntry[]
  children(entry: MempoolEntry): MempoolEntry[]
  ancestors(transaction: Transaction): Map<string, MempoolEntry>
  descendants(txid: string): Map<string, MempoolEntry>
  touching(scriptHash: string): MempoolEntry[]
  add(entry: MempoolEntry): void
  /** The descendants stay, as when a block confirms the transaction. */
  remove(txid: string): void
  removeWithDescendants(txid: string): string[]
  clear(): void
}

export function createMempool(): Mempool {
  const entries = new Map<string, MempoolEntry>()
  const spenders = new Map<string, Spender>()
  const byScript = new Map<string, Set<string>>()

  function present(txids: Iterable<string>): MempoolEntry[] {
    return [...new Set(txids)].flatMap((txid) => entries.get(txid) ?? [])
  }

  const parentsOf = (transaction: Transaction) => present(transaction.inputs.map((input) => input.txid))

  function childrenOf(entry: MempoolEntry): MempoolEntry[] {
    const { txid, outputs } = entry.transaction
    return present(outputs.flatMap((_, index) => spenders.get(outpointKey(txid, index))?.txid ?? []))
  }

  function closure(start: readonly MempoolEntry[], step: (entry: MempoolEntry) => MempoolEntry[]): Map<string, MempoolEntry> {
    const found = new Map<string, MempoolEntry>()
    const open = [...start]
    for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
      if (found.has(entry.transaction.txid)) continue
      found.set(entry.transaction.txid, entry)
      open.push(...step(entry))
    }
    return found
  }

  function descendants(txid: string): Map<string, MempoolEntry> {
    const entry = entries.get(txid)
    return entry === undefined ? new Map() : closure(childrenOf(entry), childrenOf)
  }

  function scriptHashes({ transaction, spent }: MempoolEntry): Set<string> {
    return new Set([...transaction.outputs, ...spent].map((output) => scriptHashOf(output.script)))
  }

  function remove(txid: string): void {
    const entry = entries.get(txid)
    if (entry === undefined) return
    entries.delete(txid)
    for (const input of entry.transaction.inputs) spenders.delete(outpointKey(input.txid, input.index))
    for (const scriptHash of scriptHashes(entry)) {
      const txids = byScript.get(scriptHash)
      txids?.delete(txid)
      if (txids?.size === 0) byScript.delete(scriptHash)
    }
  }

  return {
    entries,
    get: (txid) => entries.get(txid),
    spenderOf: (outpoint) => spenders.get(outpoint),
    parents: (entry) => parentsOf(entry.transaction),
    children: childrenOf,
    ancestors: (transaction) => closure(parentsOf(transaction), (entry) => parentsOf(entry.transaction)),
    descendants,
    touching: (scriptHash) => present(byScript.get(scriptHash) ?? []),
    add(entry) {
      const { txid, inputs } = entry.transaction
      entries.set(txid, entry)
      for (const [inputIndex, input] of inputs.entries()) spenders.set(outpointKey(input.txid, input.index), { txid, inputIndex })
      for (const scriptHash of scriptHashes(entry)) {
        const txids = byScript.get(scriptHash)
        if (txids === undefined) byScript.set(scriptHash, new Set([txid]))
        else txids.add(txid)
      }
    },
    remove,
    removeWithDescendants(txid) {
      const removed = entries.has(txid) ? [txid, ...descendants(txid).keys()] : []
      for (const each of removed) remove(each)
      return removed
    },
    clear() {
      entries.clear()
      spenders.clear()
      byScript.clear()
    },
  }
}
