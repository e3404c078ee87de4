/** The lane of chains with nonces calls this part of a family. */
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
 * wrong-gas     the gas limit is below the minimum of the transaction, or above the maximum of the chain
 */
export type NonceRefusal = 'nonce-used' | 'underpriced' | 'wrong-gas'

export type Priced<T extends NonceTypes> = Pick<T, 'call' | 'cost' | 'fees'>
export type Unsigned<T extends NonceTypes> = Priced<T> & { readonly nonce: bigint }
export type SurchargeOf<T extends NonceTypes> = (call: T['call']) => bigint

export interface NonceAccount<T extends NonceTypes> {
  readonly address: string
  readonly coin: string
  readonly noop: T['call']
  isNoop(call: T['call']): boolean
  isSameCall(a: T['call'], b: T['call']): boolean

  read(attempt: Attempt): T['signed']
  /** This account signed it for this chain, and `tx` is its hash. The record is a table, so its calls are signed again only then. */
  isOurs(signed: T['signed']): Promise<boolean>
  sign(signer: Signer, unsigned: Unsigned<T>): Promise<Omit<Attempt, 'at'>>
  partsOf(signed: T['signed']): Pick<T, 'cost' | 'fees'>

  nextNonce(): Promise<bigint>
  balance(): Promise<bigint>
  isKnown(tx: string): Promise<boolean>
  /** Nodes do not show unmined transactions: one that they do not know may still be pending. */
  readonly hidesUnmined: boolean
  /**
   * The transaction had expired at the block of the last `nextNonce`: it can never be mined, and its nonce is free again.
   * The method is absent where transactions do not expire.
   */
  isExpired?(signed: T['signed']): boolean
  newestBlock(): Promise<{ readonly time: bigint } | null>
  broadcast(signed: T['signed'], onPartlyAccepted: () => void): Promise<'accepted' | T['refusal']>

  suggestFees(): Promise<T['fees']>
  /** Nodes accept these fees for a replacement, and they are not below `suggested`. Null means that they would exceed our fee cap. */
  raiseFees(fees: T['fees'], suggested: T['fees'], options: Duty & { readonly urgent: boolean }): T['fees'] | null
  isSameCost(a: T['cost'], b: T['cost']): boolean
  /** Transactions in flight need the maximum charged beside the gas too, so this resolves to a function. `call` is to be signed. */
  surcharges(call: T['call']): Promise<SurchargeOf<T>>
  /** At most this much can leave the account, without the surcharge. */
  highestCost(priced: Priced<T>): bigint
  /** `cost` is that of the call to be signed, for chains where the length of the data takes gas. */
  redeemCost(cost: T['cost']): T['cost']
}
