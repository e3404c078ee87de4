/**
 * A family implements this for the shared executor: the transactions of one signer on one chain, seen from one action.
 *
 * Two halves, because only one of them needs the key:
 * - `Allocating` needs the key for itself. It takes a nonce (or an expiry) that no other action has, signs, and records the attempt.
 *   Two that allocate at once could take the same nonce.
 * - `Following` needs no key. It broadcasts recorded attempts, reads their outcome, and says whether one needs a new signature.
 *
 * Today an outbox lends the key for a whole call, and one lane serves both halves. To have several actions of one key in flight, lend it
 * for `allocate` and `replace` alone, and let them read the nonce and the other attempts again under the key: the lane's own reads
 * may be stale by then. Nothing in `Following` may depend on the key. Its chain data (outcomes, nonce, newest block) is the same for all
 * actions until the next block, so one read can serve all of them.
 */
import type { Outbox } from '../port/outbox.ts'

/** The types of one family. */
export interface ContractTypes {
  readonly call: object
  /** A call that was signed and recorded. */
  readonly signed: { readonly tx: string; readonly call: object; readonly at: bigint }
  /** The limit of gas or energy that the sender allows. */
  readonly cost: unknown
  /** Why nodes may refuse a signed transaction, where signing another one can help. */
  readonly refusal: string
}

export interface Lane<T extends ContractTypes> extends Following<T>, Allocating<T> {}

/** Null: it is in no block. */
export type Outcome = 'success' | 'reverted' | null

export interface Following<T extends ContractTypes> {
  /** Of this action: unmined, and not blocked by an earlier transaction that will never be mined. In the order to rebroadcast them. */
  readonly pending: readonly T['signed'][]
  /** Of this action: all that may still be mined. */
  unmined(): Promise<readonly T['signed'][]>
  /** The same call, signed for any action, if it will be mined before the next allocated transaction. */
  findPending(call: T['call']): Promise<T['signed'] | null>
  /** Rebroadcasts it to nodes that lack it, and says whether it must be replaced. */
  follow(signed: T['signed']): Promise<Followed<T>>
  broadcast(signed: T['signed']): Promise<'accepted' | T['refusal']>
  /** A provider accepted a transaction that the others refused. */
  isPartlyTaken(): boolean
}

/**
 * waits     it can be mined as it is
 * over      it is unmined or reverted, and can never be mined any more
 * replace   it will not be mined as it is: raise the fee, or change its cost. `cost` null: estimate it again
 */
export type Followed<T extends ContractTypes> =
  | { readonly kind: 'waits' | 'over' }
  | { readonly kind: 'replace'; readonly cost: T['cost'] | null; readonly refused: Refused<T> | null }

export type Refused<T extends ContractTypes> = { readonly signed: T['signed']; readonly why: T['refusal'] }

export interface Allocating<T extends ContractTypes> {
  /** Signs with a new nonce or expiry, and records. `refused`: the previous one, which nodes refused. */
  allocate(call: T['call'], cost: T['cost'], refused: Refused<T> | null): Promise<T['signed']>
  /** Null where a transaction cannot be replaced: it ends by its expiry alone. */
  readonly replacement: Replacement<T> | null
}

export interface Replacement<T extends ContractTypes> {
  /** A call that does nothing, to cancel another with. */
  readonly nothing: T['call']
  isNothing(call: T['call']): boolean
  /** Signs with the nonce of `old`, so that only one of them can be mined, and records. */
  replace(old: T['signed'], call: T['call'], cost: T['cost'], refused: Refused<T> | null): Promise<T['signed']>
}

/** Obligatory: leaving it undone costs more than any fee. */
export type Duty = { readonly isObligatory: boolean }

export type OpenLane<T extends ContractTypes> = (outbox: Outbox, duty: Duty) => Promise<Lane<T>>
