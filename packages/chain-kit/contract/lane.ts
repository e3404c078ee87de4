/**
 * A lane has the transactions of one signer on one chain, as one action sees them. Each contract family implements it for the shared executor.
 *
 * It has two halves, because only one of them needs the key:
 * - `Allocating` takes the key by `Outbox.withKey`. Under it, it reads the other attempts again, takes a nonce (or an expiry) that no other action has,
 *   signs, and records the attempt. Without the key two actions could allocate the same nonce.
 * - `Following` needs no key. It broadcasts recorded attempts, reads their outcome, and says whether one needs a new signature. What it read when
 *   the lane was opened may be stale: several actions of one key are in flight.
 *
 * Broadcasts may reach a node out of order. A node queues a later nonce or refuses it; then `broadcast` waits for the earlier one.
 */
import type { Outbox } from '../port/outbox.ts'

export interface ContractTypes {
  readonly call: object
  readonly signed: { readonly tx: string; readonly call: object; readonly at: bigint }
  readonly cost: unknown
  /** Nodes refuse a signed transaction for one of these reasons, and signing another one can help. */
  readonly refusal: string
}

export interface Lane<T extends ContractTypes> extends Following<T>, Allocating<T> {}

export type Outcome = 'success' | 'reverted' | null

export interface Following<T extends ContractTypes> {
  /** No gap in the nonces blocks these transactions of the action. They are in the order to rebroadcast them. */
  readonly pending: readonly T['signed'][]
  /** All these transactions of the action may still be mined. */
  unmined(): Promise<readonly T['signed'][]>
  /** Finds the same call, signed for any action, if it will be mined before the next allocated transaction. */
  findPending(call: T['call']): Promise<T['signed'] | null>
  follow(signed: T['signed']): Promise<Followed<T>>
  broadcast(signed: T['signed']): Promise<'accepted' | T['refusal']>
  /** True means that a provider accepted a transaction that the others refused. */
  isPartlyAccepted(): boolean
}

/**
 * waits     it is pending: it can be mined as it is
 * over      it expired or reverted: it can never be mined
 * replace   it will not be mined as it is: raise the fee, or change its cost. A null `cost` must be estimated again. `isSent` means that a node has just accepted it
 */
export type Followed<T extends ContractTypes> =
  | { readonly kind: 'waits' | 'over' }
  | { readonly kind: 'replace'; readonly cost: T['cost'] | null; readonly refused: Refused<T> | null; readonly isSent: boolean }

export type Refused<T extends ContractTypes> = { readonly signed: T['signed']; readonly why: T['refusal'] }

export interface Allocating<T extends ContractTypes> {
  /** Signs with a new nonce or expiry, and records. `refused` is the previous transaction, which nodes refused. */
  allocate(call: T['call'], cost: T['cost'], refused: Refused<T> | null, sharing: Sharing): Promise<Allocated<T>>
  /** Null means that the chain does not replace transactions: an attempt can only expire. */
  readonly replacement: Replacement<T> | null
}

/** `mayShare` means that the same call of another action is enough, e.g. an approval. */
export type Sharing = { readonly mayShare: boolean }

export type Allocated<T extends ContractTypes> = { readonly signed: T['signed']; readonly isNew: boolean }

export interface Replacement<T extends ContractTypes> {
  /** This call does nothing, and cancels another by replacing it. */
  readonly noop: T['call']
  isNoop(call: T['call']): boolean
  replace(old: T['signed'], call: T['call'], cost: T['cost'], refused: Refused<T> | null): Promise<T['signed']>
}

export type Duty = {
  /** Skipping it costs more than any fee. Optional transactions leave money for it. */
  readonly isObligatory: boolean
  /** The account does nothing else, so an optional transaction may use all that it holds. */
  readonly isAlone?: boolean
}

export type OpenLane<T extends ContractTypes> = (outbox: Outbox, duty: Duty) => Promise<Lane<T>>
