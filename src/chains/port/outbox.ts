/** What a family is given to sign with, and where it must record what it signs. */
import type { Signer } from '../../keys/key.ts'

/** The attempts of one action, and exclusive use of its signer on this chain while the call lasts. */
export interface Outbox {
  /** Bound to the purpose of this action: whatever it signs is asked for with the order, leg, verb and terms. */
  readonly signer: Signer
  /** What was signed for this action before, oldest first. */
  readonly attempts: readonly Attempt[]
  /** What the same signer has signed on this chain for other actions and may still be unmined, oldest first. */
  readonly others: readonly (Attempt & { readonly wanted: boolean })[]
  /** Must be awaited before broadcasting. Rejects when someone else has taken the action over. */
  record(attempt: Omit<Attempt, 'at'>): Promise<void>
  /** One of `attempts` is in a block and failed there, for which the signer has paid. Safe to repeat. */
  noteReverted(tx: string): Promise<void>
  /** For relays: how many for the same initiator, of whatever orders, are known to have failed so in 24 hours. */
  readonly revertedRelays?: number
  /** Seconds until the action would come too late, in the worst case; null when it never does. */
  readonly secondsLeft: bigint | null
  /** Unix seconds. */
  readonly now: bigint
}

export type Attempt = {
  readonly tx: string
  /** The signed transaction, hex. */
  readonly raw: string
  /** What it uses up, so that two transactions cannot both be valid by mistake: account nonces, outpoints. */
  readonly slots: readonly string[]
  /** In the chain's own fee unit. */
  readonly feeRate: bigint
  readonly at: bigint
}
