/** What the lane of chains with nonces needs of a family. */
import type { Signer } from '@tandem/keys/key.ts'
import type { Attempt } from '../port/outbox.ts'
import type { ContractTypes, Duty } from './lane.ts'
import type { Numbered } from './nonces.ts'

export interface NonceTypes extends ContractTypes {
  readonly signed: ContractTypes['signed'] & Numbered
  readonly refusal: NonceRefusal
  readonly fees: unknown
}

/**
 * nonce-used    another transaction of this account was mined at its nonce
 * underpriced   the fee is too low for the next block, or to replace the transaction at this nonce
 * wrong-gas     the gas limit is below what the transaction takes at least, or above what a transaction may take
 */
export type NonceRefusal = 'nonce-used' | 'underpriced' | 'wrong-gas'

export type Priced<T extends NonceTypes> = Pick<T, 'call' | 'cost' | 'fees'>
export type Unsigned<T extends NonceTypes> = Priced<T> & { readonly nonce: bigint }
export type SurchargeOf<T extends NonceTypes> = (call: T['call']) => bigint

/** What the lane needs of a family, for one account. */
export interface NonceAccount<T extends NonceTypes> {
  readonly address: string
  /** For messages: what it pays fees with. */
  readonly coin: string
  /** A call that does nothing. */
  readonly noop: T['call']
  isNoop(call: T['call']): boolean
  isSameCall(a: T['call'], b: T['call']): boolean

  // Records.

  read(attempt: Attempt): T['signed']
  /** This account signed it for this chain, and `tx` is its hash. The record is a table: a call in it is signed again only then. */
  isOurs(signed: T['signed']): Promise<boolean>
  sign(signer: Signer, unsigned: Unsigned<T>): Omit<Attempt, 'at'>
  partsOf(signed: T['signed']): Pick<T, 'cost' | 'fees'>

  // Nodes.

  nextNonce(): Promise<bigint>
  balance(): Promise<bigint>
  /** A node has it, mined or not. */
  isKnown(tx: string): Promise<boolean>
  /** Nodes do not show unmined transactions: one that they do not know may still be pending. */
  readonly hidesUnmined: boolean
  /**
   * The transaction has expired at the block at which `nextNonce` was read last: it can never be mined, and its nonce is free again.
   * Absent: transactions do not expire.
   */
  isExpired?(signed: T['signed']): boolean
  newestBlock(): Promise<{ readonly time: bigint } | null>
  broadcast(signed: T['signed'], onPartlyAccepted: () => void): Promise<'accepted' | T['refusal']>

  // Fees.

  suggestFees(): Promise<T['fees']>
  /** Fees that nodes accept for a replacement, and not below `suggested`; null above our fee cap. */
  raiseFees(fees: T['fees'], suggested: T['fees'], options: Duty & { readonly urgent: boolean }): T['fees'] | null
  isSameCost(a: T['cost'], b: T['cost']): boolean
  /** What is charged beside the gas, at most; of transactions in flight too, so it resolves to a function. `call`: the one to be signed. */
  surcharges(call: T['call']): Promise<SurchargeOf<T>>
  /** The most that can leave the account, without the surcharge. */
  highestCost(priced: Priced<T>): bigint
  /** The gas limit of a redeem. `cost`: of the call to be signed, for chains where data that is about as long takes gas. */
  redeemCost(cost: T['cost']): T['cost']
}
