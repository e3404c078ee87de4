// Shares what all methods need: the node, and answers that name their slot.
import type { Commitment } from '../ledger.ts'
import type { SolanaNode } from '../solana-node.ts'
import { type Config, commitmentOf, optionalCountOf } from './params.ts'
import { minContextSlotNotReached } from './rpc-error.ts'

export type Method = (params: readonly unknown[]) => unknown
export type Methods = Readonly<Record<string, Method>>

export const API_VERSION = '3.0.0'

/** Throws if the node is not at `minContextSlot` yet. */
export function readCommitment({ ledger }: SolanaNode, config: Config, read = commitmentOf): Commitment {
  const commitment = read(config)
  const min = optionalCountOf(config.minContextSlot)
  const { slot } = ledger.tip(commitment)
  if (min !== undefined && slot < min) throw minContextSlotNotReached(slot)
  return commitment
}

export function withContext<Value>({ ledger }: SolanaNode, commitment: Commitment, value: Value) {
  return { context: { apiVersion: API_VERSION, slot: ledger.tip(commitment).slot }, value }
}
