/** The key that a family gets for an action, and the record of everything it signs. */
import type { PublicKey, Signer } from '@tandem/keys/key.ts'

/**
 * The attempts of one action. Several actions of one key are in flight at a time: each holds the key only to allocate (nonces, UTXOs), sign and
 * record. Reads, simulations and broadcasts need no key.
 */
export interface Outbox {
  /** Whose key signs for this action. */
  readonly key: PublicKey
  /** Earlier attempts of this action, oldest first. */
  readonly attempts: readonly Attempt[]
  /** Attempts of the same key on this chain for other actions that may still be unmined, oldest first. More may be recorded at any time. */
  readOthers(query?: OthersQuery): Promise<readonly OtherAttempt[]>
  /**
   * Runs `work` with exclusive use of the key on this chain, across processes, on fresh facts, until it records. Other actions of the key wait meanwhile:
   * do in it only what needs the key. It runs again if the attempt of another action that it may build on is not recorded. Rejects with `superseded` if
   * the action is no longer wanted as it was.
   */
  withKey<T>(work: (held: HeldKey) => Promise<T>): Promise<T>
  /** Another action's attempt (`tx`) blocks ours, and no node has it: makes that action due now, so that it checks its facts and rebroadcasts. */
  hurry(tx: string): Promise<void>
  /** One of `attempts` was mined and reverted at the signer's cost. `weight`: how many usual relays cost as much, 1 if not given. Safe to repeat. */
  noteReverted(tx: string, weight?: number): Promise<void>
  /** Pays the part of the fee that the recipient of a payout was promised not to bear; absent: nobody does. */
  readonly sponsor?: Sponsor
  /** For relays: how many of this initiator, of all its orders, reverted in the last 24 hours. */
  readonly revertedRelays?: number
  /** Seconds until the action's deadline, in the worst case; null when it has none. */
  readonly secondsLeft: bigint | null
  /** Unix seconds. */
  readonly now: bigint
}

export interface Sponsor {
  readonly key: PublicKey
  /** As `Outbox.withKey`, but the key of the sponsor is held, because its coins are allocated. `HeldKey.sponsor` is set. */
  withKey<T>(work: (held: HeldKey) => Promise<T>): Promise<T>
  /** Charges this much of the chain's coin to the budget of the order, before it is signed for. False: the budget is used up. Safe to repeat. */
  charge(amount: bigint): Promise<boolean>
}

export interface HeldKey {
  /** Bound to the purpose of this action: its order, leg, verb and terms. */
  readonly signer: Signer
  /** Of the sponsor, if its key is held. */
  readonly sponsor?: Signer
  /** As `Outbox.readOthers`, with all that was signed before. Nobody signs another one until this one is recorded. */
  readOthers(query?: OthersQuery): Promise<readonly OtherAttempt[]>
  /** The last use of the key: afterwards other actions sign. Await it before broadcasting. Rejects when another engine has taken over the action. */
  record(attempt: Omit<Attempt, 'at'>): Promise<void>
}

/** `wanted`: its action is still needed. */
export type OtherAttempt = Attempt & { readonly wanted: boolean }

/** Which attempts are of interest; without it, all that may be unmined on any chain. */
export type OthersQuery = {
  /** Only with this nonce or a higher one. */
  readonly fromNonce?: bigint
  /** Only those signed at or after this time, in unix seconds. */
  readonly since?: bigint
}

export type Attempt = {
  readonly tx: string
  /** The signed transaction, hex. */
  readonly raw: string
  /** The exclusive resources it uses up (nonces, UTXOs): two transactions with a common one cannot both be mined. */
  readonly slots: readonly string[]
  /** Where the chain has them. Elsewhere a family may give another number by which `fromNonce` finds what may be unmined, such as the last valid height. */
  readonly nonce?: bigint
  /** In the chain's own fee unit. */
  readonly feeRate: bigint
  readonly at: bigint
}
