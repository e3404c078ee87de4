// What each type of transaction adds to the rules of all.

import type { View } from '../ledger/view.ts'
import type { ResultCode } from './result-codes.ts'
import type { SignedTransaction } from './signed-transaction.ts'

/** Of a ledger: drops. */
export type Fees = { readonly base: bigint; readonly reserveBase: bigint; readonly reserveIncrement: bigint }

/** Of the ledger that the transaction is applied to. */
export type Rules = {
  readonly ledgerIndex: number
  /** Seconds of the ledger's epoch. What expires is compared with this, not with the time at which the ledger itself closes. */
  readonly parentCloseTime: number
  readonly fees: Fees
  readonly networkId: number
}

export type Application = {
  readonly transaction: SignedTransaction
  readonly rules: Rules
  /** The fee is paid and the sequence used. */
  readonly view: View
  /** Of the sender, before the fee. */
  readonly priorBalance: bigint
}

export interface Transactor {
  /** Flags of its own. */
  readonly flags?: number
  /** In base fees. Default: 1. */
  feeUnits?(transaction: Pick<SignedTransaction, 'json'>): bigint
  /** Without a ledger. Null: nothing is wrong. */
  preflight?(transaction: SignedTransaction): ResultCode | null
  /** If it fails, its changes are discarded. */
  apply(application: Application): ResultCode
}

export const reserveOf = ({ reserveBase, reserveIncrement }: Fees, owned: number): bigint => reserveBase + reserveIncrement * BigInt(owned)
