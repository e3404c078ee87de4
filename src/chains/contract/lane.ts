/**
 * What a family implements for the shared executor: the transactions of one signer on one chain, seen from one action.
 *
 * Two halves, because only one of them needs the key:
 * - `Allocating` needs the key for itself. It takes a nonce (or an expiry) that no other action has, signs, and records the attempt.
 *   Two that allocate at once could take the same nonce.
 * - `Following` needs no key. It broadcasts what is recorded, asks what became of it, and says whether it needs a new signature.
 *
 * Today an outbox lends the key for a whole call, and one lane serves both halves. To have several actions of one key in flight, lend it
 * for `allocate` and `replace` alone, and let them read the nonce and the other attempts again under the key: what the lane read when it
 * was opened may be stale by then. Nothing in `Following` may depend on the key. What it reads of a chain (outcomes, nonce, newest block)
 * is the same for all actions until the next block, so one read can serve all of them.
 */
import type { Outbox } from '../port/outbox.ts'

/** The types of one family. */
export interface ContractTypes {
  readonly call: object
  /** A call that was signed and recorded. */
  readonly signed: { readonly tx: string; readonly call: object; readonly at: bigint }
  /** What its sender allows it to use: gas, energy. */
  readonly cost: unknown
  /** Why nodes may refuse a signed transaction, where signing another one can help. */
  readonly refusal: string
}

export interface Lane<T extends ContractTypes> extends Following<T>, Allocating<T> {}

/** Null: it is in no block. */
export type Outcome = 'success' | 'reverted' | null

export interface Following<T extends ContractTypes> {
  /** Of this action: alive, and blocked by nothing that nobody will mine. In the order in which to keep them alive. */
  readonly pending: readonly T['signed'][]
  /** Of this action: all that may still get into a block. */
  unmined(): Promise<readonly T['signed'][]>
  /** The same call, signed for any action, if it will be mined before whatever is allocated now. */
  findPending(call: T['call']): Promise<T['signed'] | null>
  /** Rebroadcasts what the nodes lack, and says what is needed beside. */
  follow(signed: T['signed']): Promise<Followed<T>>
  broadcast(signed: T['signed']): Promise<'accepted' | T['refusal']>
  /** A provider took a transaction that the others refused. */
  isPartlyTaken(): boolean
}

/**
 * waits     it can be mined as it is
 * over      it is in no block, or reverted, and no block can have it any more
 * replace   it waits in vain: the fee must be raised, or its cost changed. `cost` null: estimate it again
 */
export type Followed<T extends ContractTypes> =
  | { readonly kind: 'waits' | 'over' }
  | { readonly kind: 'replace'; readonly cost: T['cost'] | null; readonly refused: Refused<T> | null }

export type Refused<T extends ContractTypes> = { readonly signed: T['signed']; readonly why: T['refusal'] }

export interface Allocating<T extends ContractTypes> {
  /** Signs at a place of its own, and records. `refused`: the one before, which nodes did not take. */
  allocate(call: T['call'], cost: T['cost'], refused: Refused<T> | null): Promise<T['signed']>
  /** Null where a transaction cannot be replaced: it ends by its expiry alone. */
  readonly replacement: Replacement<T> | null
}

export interface Replacement<T extends ContractTypes> {
  /** A call that does nothing, to cancel another with. */
  readonly nothing: T['call']
  isNothing(call: T['call']): boolean
  /** Signs at the place of `old`, so that only one of them can be mined, and records. */
  replace(old: T['signed'], call: T['call'], cost: T['cost'], refused: Refused<T> | null): Promise<T['signed']>
}

/** Obligatory: leaving it undone costs more than any fee. */
export type Duty = { readonly isObligatory: boolean }

export type OpenLane<T extends ContractTypes> = (outbox: Outbox, duty: Duty) => Promise<Lane<T>>
