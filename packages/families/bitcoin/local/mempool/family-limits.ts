// Limits chains of unconfirmed transactions: by ancestors and descendants, and by TRUC (BIP431) for version 3.
import type { Transaction } from '../transaction/transaction.ts'
import type { Mempool, MempoolEntry } from './mempool.ts'

const MAX_FAMILY_COUNT = 25
const MAX_FAMILY_VSIZE = 101_000
const CARVE_OUT_VSIZE = 10_000
const TRUC_VERSION = 3
const TRUC_MAX_VSIZE = 10_000
const TRUC_CHILD_MAX_VSIZE = 1_000

type Limits = { readonly ancestors: number; readonly descendants: number; readonly descendantVsize: number }

function totalVsize(entries: Iterable<MempoolEntry>): number {
  let total = 0
  for (const entry of entries) total += entry.vsize
  return total
}

function withinLimits(mempool: Mempool, ancestors: ReadonlyMap<string, MempoolEntry>, vsize: number, limits: Limits): boolean {
  if (ancestors.size + 1 > limits.ancestors || totalVsize(ancestors.values()) + vsize > MAX_FAMILY_VSIZE) return false
  for (const [txid, ancestor] of ancestors) {
    const descendants = mempool.descendants(txid)
    if (descendants.size + 2 > limits.descendants) return false
    if (totalVsize(descendants.values()) + ancestor.vsize + vsize > limits.descendantVsize) return false
  }
  return true
}

function trucRefusal(transaction: Transaction, vsize: number, mempool: Mempool, replaced: ReadonlySet<string>): string | null {
  const ancestors = mempool.ancestors(transaction)
  const isTruc = transaction.version === TRUC_VERSION
  if ([...ancestors.values()].some((entry) => (entry.transaction.version === TRUC_VERSION) !== isTruc)) return 'TRUC-violation'
  if (!isTruc) return null
  if (vsize > TRUC_MAX_VSIZE || ancestors.size > 1) return 'TRUC-violation'
  if (ancestors.size === 0) return null
  if (vsize > TRUC_CHILD_MAX_VSIZE) return 'TRUC-violation'
  const siblings = [...ancestors.keys()].flatMap((txid) => [...mempool.descendants(txid).keys()])
  return siblings.some((txid) => !replaced.has(txid)) ? 'TRUC-violation' : null
}

export function familyRefusal(transaction: Transaction, vsize: number, mempool: Mempool, replaced: ReadonlySet<string>): string | null {
  const truc = trucRefusal(transaction, vsize, mempool, replaced)
  if (truc !== null) return truc
  const ancestors = mempool.ancestors(transaction)
  // A replacement of one transaction may take the place that it leaves.
  const spare = replaced.size > 0 ? 1 : 0
  const limits = { ancestors: MAX_FAMILY_COUNT, descendants: MAX_FAMILY_COUNT + spare, descendantVsize: MAX_FAMILY_VSIZE }
  if (withinLimits(mempool, ancestors, vsize, limits)) return null
  // The carve-out: one small transaction with a single parent may exceed the descendant limits, so that both sides of a contract can bump fees.
  const carveOut = { ancestors: 2, descendants: limits.descendants + 1, descendantVsize: limits.descendantVsize + CARVE_OUT_VSIZE }
  return vsize <= CARVE_OUT_VSIZE && withinLimits(mempool, ancestors, vsize, carveOut) ? null : 'too-long-mempool-chain'
}
