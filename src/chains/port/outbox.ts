/** An action's signer, and the record of everything that it signs. */
import type { Signer } from '../../keys/key.ts'

/** The attempts of one action, and the exclusive use of its signer on this chain during the call. */
export interface Outbox {
  /** Bound to the purpose of this action: its order, leg, verb and terms. */
  readonly signer: Signer
  /** Earlier attempts of this action, oldest first. */
  readonly attempts: readonly Attempt[]
  /** Attempts of the same signer on this chain for other actions that may still be unmined, oldest first. */
  readonly others: readonly (Attempt & { readonly wanted: boolean })[]
  /** Must be awaited before broadcasting. Rejects when another engine has taken over the action. */
  record(attempt: Omit<Attempt, 'at'>): Promise<void>
  /** One of `attempts` was mined and reverted at the signer's cost. Safe to repeat. */
  noteReverted(tx: string): Promise<void>
  /** For relays: how many of this initiator, of all its orders, reverted in the last 24 hours. */
  readonly revertedRelays?: number
  /** Seconds until the action's deadline, in the worst case; null when it has none. */
  readonly secondsLeft: bigint | null
  /** Unix seconds. */
  readonly now: bigint
}

export type Attempt = {
  readonly tx: string
  /** The signed transaction, hex. */
  readonly raw: string
  /** The exclusive resources it uses up (nonces, UTXOs): two transactions with a common one cannot both be mined. */
  readonly slots: readonly string[]
  /** In the chain's own fee unit. */
  readonly feeRate: bigint
  readonly at: bigint
}
