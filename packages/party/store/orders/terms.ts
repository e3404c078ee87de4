/** Reads the agreed terms from a row of `swaps`. */

import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Selectable } from 'kysely'
import type { Schema } from '../database/schema.ts'

type TermColumns = 'asset' | 'initiator' | 'redeemer' | 'amount' | 'secret_hash' | 'timelock'

export function termsOf(row: Pick<Selectable<Schema['swaps']>, TermColumns>): HtlcTerms {
  return {
    asset: row.asset,
    initiator: row.initiator,
    redeemer: row.redeemer,
    amount: row.amount,
    secretHash: row.secret_hash,
    timelock: row.timelock,
  }
}
