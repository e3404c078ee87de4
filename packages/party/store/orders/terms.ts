/** Reads the agreed terms from a row of `swaps`. */
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { bigint, shape, text, type ValueOf } from '../database/columns.ts'
import { assetId } from '../database/domain-columns.ts'

export const termColumns = { asset: assetId, initiator: text, redeemer: text, amount: bigint, secret_hash: text, timelock: bigint }
const terms = shape(termColumns)

export function termsOf(row: ValueOf<typeof terms>): HtlcTerms {
  return {
    asset: row.asset,
    initiator: row.initiator,
    redeemer: row.redeemer,
    amount: row.amount,
    secretHash: row.secret_hash,
    timelock: row.timelock,
  }
}
