// Types the rules that each type of transaction adds to those of all.
import type { View } from '../ledger/view.ts'
import type { ResultCode } from './result-codes.ts'
import type { SignedTransaction } from './signed-transaction.ts'

/** All amounts are in drops. */
export type Fees = { readonly base: bigint; readonly reserveBase: bigint; readonly reserveIncrement: bigint }

export type Rules = {
  readonly ledgerIndex: number
  /** Expiries, in seconds of the ledger's epoch, are compared with this time, not with that at which the ledger itself closes. */
  readonly parentCloseTime: number
  readonly fees: Fees
  readonly networkId: number
}

export type Application = {
  readonly transaction: SignedTransaction
  readonly rules: Rules
  /** The fee is paid and the sequence used. */
  readonly view: View
  /** The balance is that of the sender before the fee. */
  readonly priorBalance: bigint
}

export interface Transactor {
  readonly flags?: number
  /** The fee is in base fees. The default is 1. */
  feeUnits?(transaction: Pick<SignedTransaction, 'json'>): bigint
  preflight?(transaction: SignedTransaction): ResultCode | null
  /** If it fails, its changes are discarded. */
  apply(application: Application): ResultCode
}

export const reserveOf = ({ reserveBase, reserveIncrement }: Fees, owned: number): bigint => reserveBase + reserveIncrement * BigInt(owned)
