/** A settled HTLC keeps the rent of its account until the account is closed (`Chain.settledHtlcKeepsRent`). Then the rent goes to whoever paid it. */
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Outbox } from '../outbox.ts'

export interface Rent {
  /** From when on the account of a settled swap can be closed, unix seconds; null if there is no account (any more). */
  keptUntil(terms: HtlcTerms): Promise<bigint | null>
  /** Closes the account. Safe to repeat. Rejects with `would-fail` before its time, and with `superseded` once it is closed. */
  giveBack(terms: HtlcTerms, outbox: Outbox): Promise<string>
}
