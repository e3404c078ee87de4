/** Gives a family the key for an action, and records everything that the family signs. */
import type { PublicKey, Signer } from '@tandem/keys/key.ts'

/**
 * An outbox has the attempts of one action. Several actions of one key are in flight at a time: each holds the key only to allocate
 * (nonces, UTXOs), sign and record. Reads, simulations and broadcasts need no key.
 */
export interface Outbox {
  readonly key: PublicKey
  readonly attempts: readonly Attempt[]
  /** These attempts of the key on this chain are for other actions and may be unmined, oldest first. More may be recorded any time. */
  readOthers(query?: OthersQuery): Promise<readonly OtherAttempt[]>
  /**
   * Runs `work` with exclusive use of the key on this chain, across processes, on fresh facts, until it records. Other actions of the key wait meanwhile:
   * do in it only what needs the key. It runs again if the attempt of another action that it may build on is not recorded. Rejects with `superseded` if
   * the action is not wanted as it was before.
   */
  withKey<T>(work: (held: HeldKey) => Promise<T>): Promise<T>
  /** Makes another action due now whose attempt (`tx`) blocks ours and is on no node: it then checks its facts and rebroadcasts. */
  makeDue(tx: string): Promise<void>
  /** One of `attempts` was mined and reverted at the signer's cost. `weight` is the cost in usual relays, by default 1. Safe to repeat. */
  noteReverted(tx: string, weight?: number): Promise<void>
  /** The sponsor pays the part of the fee that the recipient of a payout was promised not to bear. It is absent if nobody does. */
  readonly sponsor?: Sponsor
  /** This many relays for this initiator, over all its orders, reverted in the last 24 hours. */
  readonly revertedRelays?: number
  /** This is called with what is there before a reclaim is signed that does not replace one. Rejects if nobody pays its fee. */
  payForReclaim?(amount: bigint): Promise<void>
  /** This is the time until the action's deadline, in the worst case. Null means that it has none. */
  readonly secondsLeft: bigint | null
  /** The time is in unix seconds. */
  readonly now: bigint
}

export interface Sponsor {
  readonly key: PublicKey
  /** Like `Outbox.withKey`, but holds the key of the sponsor, because its coins are allocated. `HeldKey.sponsor` is set. */
  withKey<T>(work: (held: HeldKey) => Promise<T>): Promise<T>
  /** Charges this much of the chain's coin to the budget of the order, before it is signed for; false if the budget is used up. Safe to repeat. */
  charge(amount: bigint): Promise<boolean>
}

export interface HeldKey {
  readonly signer: Signer
  readonly sponsor?: Signer
  /** Like `Outbox.readOthers`, with all that was signed before. Nobody signs another one until this one is recorded. */
  readOthers(query?: OthersQuery): Promise<readonly OtherAttempt[]>
  record(attempt: Omit<Attempt, 'at'>): Promise<void>
}

export type OtherAttempt = Attempt & { readonly wanted: boolean }

/** A query selects attempts. Without one, all that may be unmined on any chain are read. */
export type OthersQuery = {
  /** Attempts with this nonce or a higher one are selected. */
  readonly fromNonce?: bigint
  /** Attempts signed at or after this time (unix seconds) are selected. */
  readonly since?: bigint
}

export type Attempt = {
  readonly tx: string
  readonly raw: string
  /** The transaction uses up these exclusive resources (nonces, UTXOs): two transactions with a common one cannot both be mined. */
  readonly slots: readonly string[]
  /** Without nonces a family may give another number by which `fromNonce` finds what may be unmined, e.g. the last valid height. */
  readonly nonce?: bigint
  /** The rate is in the chain's own fee unit. */
  readonly feeRate: bigint
  readonly at: bigint
}
