/** Reads the deposits at the address of an HTLC, which follows from the terms. */
import { htlcOf } from '../../../../src/chains/bitcoin/htlc.ts'
import { networkOf } from '../../../../src/chains/bitcoin/networks.ts'
import { assertFreshTip } from '../clock.ts'
import type { KeySide, Lock, Node } from '../family.ts'
import { historyOf, newestBlock, utxosOf } from './esplora.ts'

export async function readLock({ chain, terms }: KeySide, node: Node): Promise<Lock | null> {
  const { address } = htlcOf(terms, networkOf(chain.reference))
  const lock = (await utxosOf(node, address)).find(({ amount }) => amount >= terms.amount)
  if (lock === undefined) return null
  const tip = await newestBlock(node)
  assertFreshTip(chain, tip.time)
  const confirmations = lock.height === null ? 0n : tip.height - lock.height + 1n
  // BIP68: the block of the deposit is its first confirmation.
  return { confirmations: Number(confirmations), unitsLeft: terms.timelock - confirmations }
}

/** What lies at the address, and whether anything ever did. */
export async function lookUp({ chain, terms }: KeySide, node: Node): Promise<{ readonly isUsed: boolean; readonly amount: bigint }> {
  const { funded, spent } = await historyOf(node, htlcOf(terms, networkOf(chain.reference)).address)
  return { isUsed: funded > 0n, amount: funded - spent }
}
