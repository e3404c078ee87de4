// Decides on replacements (BIP125 rules 2 to 5 with the feerate rule). Signaling is not required, as is Bitcoin Core's default.
import type { Transaction } from '../transaction/transaction.ts'
import type { Mempool, MempoolEntry } from './mempool.ts'

const MAX_REPLACED = 100

export type Replacement = {
  readonly transaction: Transaction
  readonly vsize: number
  readonly feeSats: bigint
  readonly conflicts: ReadonlySet<string>
  readonly incrementSats: bigint
}

export function replacedBy(conflicts: ReadonlySet<string>, mempool: Mempool): Map<string, MempoolEntry> {
  const replaced = new Map<string, MempoolEntry>()
  for (const txid of conflicts) {
    const entry = mempool.get(txid)
    if (entry === undefined) continue
    replaced.set(txid, entry)
    for (const [descendant, descendantEntry] of mempool.descendants(txid)) replaced.set(descendant, descendantEntry)
  }
  return replaced
}

export function replacementRefusal(candidate: Replacement, replaced: ReadonlyMap<string, MempoolEntry>, mempool: Mempool): string | null {
  const { transaction, conflicts, feeSats } = candidate
  const vsize = BigInt(candidate.vsize)
  for (const txid of mempool.ancestors(transaction).keys()) if (conflicts.has(txid)) return 'bad-txns-spends-conflicting-tx'
  const direct = [...conflicts].flatMap((txid) => mempool.get(txid) ?? [])
  // The feerate must beat every transaction it conflicts with directly.
  if (direct.some((entry) => feeSats * BigInt(entry.vsize) <= entry.feeSats * vsize)) return 'insufficient fee'
  if (replaced.size > MAX_REPLACED) return 'too many potential replacements'
  const knownParents = new Set(direct.flatMap((entry) => entry.transaction.inputs.map((input) => input.txid)))
  if (transaction.inputs.some((input) => !knownParents.has(input.txid) && mempool.get(input.txid) !== undefined))
    return 'replacement-adds-unconfirmed'
  // BIP125 rules 3 and 4: the replacement pays the replaced fees, and its own relay on top.
  const replacedFees = [...replaced.values()].reduce((sum, entry) => sum + entry.feeSats, 0n)
  return feeSats - replacedFees < candidate.incrementSats ? 'insufficient fee' : null
}
