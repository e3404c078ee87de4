/** Reads the deposits at the address of an HTLC, which follows from the terms. */

import { assertFreshTip } from '@tandem/chain-kit/browser/clock.ts'
import type { KeyLock, KeySide, LookedUp, Node } from '@tandem/chain-kit/browser/family.ts'
import { htlcOf } from '../terms/htlc.ts'
import { networkOf } from '../terms/networks.ts'
import { historyOf, isReward, newestBlock, type Utxo, utxosOf } from './esplora.ts'

/**
 * Of several deposits that are large enough, the one with the most confirmations: one that was made later must not hold up the swap. The reward of a block
 * does not count: it cannot be redeemed in time.
 */
export async function readLock({ chain, terms }: KeySide, node: Node): Promise<KeyLock | null> {
  const { address } = htlcOf(terms, networkOf(chain.reference))
  const large = (await utxosOf(node, address)).filter(({ amount }) => amount >= terms.amount).toSorted(byAge)
  const lock = await firstThatIsNoReward(node, large)
  if (lock === null) return null
  const tip = await newestBlock(node)
  assertFreshTip(chain, tip.time)
  const confirmations = lock.height === null ? 0n : tip.height - lock.height + 1n
  // BIP68: the block of the deposit is its first confirmation.
  return { confirmations: Number(confirmations), unitsLeft: terms.timelock - confirmations, deposit: lock.outpoint }
}

async function firstThatIsNoReward(node: Node, utxos: readonly Utxo[]): Promise<Utxo | null> {
  for (const utxo of utxos) if (!(await isReward(node, utxo.outpoint))) return utxo
  return null
}

/** Oldest first, unconfirmed ones last. */
function byAge({ height: a }: Utxo, { height: b }: Utxo): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return Number(a - b)
}

/** What lies at the address, and whether anything ever did. */
export async function lookUp({ chain, terms }: KeySide, node: Node): Promise<LookedUp> {
  const { address } = htlcOf(terms, networkOf(chain.reference))
  const { funded, spent } = await historyOf(node, address)
  const amounts = funded > spent ? (await utxosOf(node, address)).map(({ amount }) => amount) : []
  return { isUsed: funded > 0n, amount: funded - spent, largest: amounts.reduce((most, one) => (one > most ? one : most), 0n) }
}
