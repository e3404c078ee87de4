// Chooses the mempool transactions of the next block: the best feerate comes first, but parents come before their children.
import { MAX_BLOCK_SIGOPS_COST, MAX_BLOCK_WEIGHT } from '../chain/check-block.ts'
import { sigopsCost } from '../transaction/sigops.ts'
import type { Mempool, MempoolEntry } from './mempool.ts'

/** The reserve is for the header, the transaction count and the coinbase. */
const RESERVED_WEIGHT = 4_000
const RESERVED_SIGOPS_COST = 400

function byFeeRate(a: MempoolEntry, b: MempoolEntry): number {
  const difference = b.feeSats * BigInt(a.vsize) - a.feeSats * BigInt(b.vsize)
  return difference > 0n ? 1 : difference < 0n ? -1 : 0
}

export function selectTransactions(mempool: Mempool): MempoolEntry[] {
  const chosen = new Map<string, MempoolEntry>()
  let weight = RESERVED_WEIGHT
  let sigops = RESERVED_SIGOPS_COST
  for (const entry of [...mempool.entries.values()].sort(byFeeRate)) {
    if (chosen.has(entry.transaction.txid)) continue
    const family = [...mempool.ancestors(entry.transaction).values(), entry].filter(({ transaction }) => !chosen.has(transaction.txid))
    const familyWeight = family.reduce((sum, { transaction }) => sum + transaction.weight, 0)
    const familySigops = family.reduce((sum, member) => sum + sigopsCost(member.transaction, member.spent), 0)
    if (weight + familyWeight > MAX_BLOCK_WEIGHT || sigops + familySigops > MAX_BLOCK_SIGOPS_COST) continue
    weight += familyWeight
    sigops += familySigops
    // An ancestor always has fewer ancestors than its descendants: sorting by that count is a topological order.
    const depth = new Map(family.map((member) => [member, mempool.ancestors(member.transaction).size]))
    family.sort((a, b) => (depth.get(a) ?? 0) - (depth.get(b) ?? 0))
    for (const member of family) chosen.set(member.transaction.txid, member)
  }
  return [...chosen.values()]
}
