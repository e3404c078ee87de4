/** What the policy is asked, and what it answers. */
import type { Asked, FeeEntry, GrantEntry } from '../journal/entries.ts'
import type { History } from '../journal/history.ts'
import type { AskedPurpose } from '../wire/question.ts'

/** Its text goes into the journal and to the caller. */
export class Refusal extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'Refusal'
  }
}

export type Request = {
  readonly purposes: readonly AskedPurpose[]
  readonly asked: Asked
  /** The chain refuses a second HTLC of the same terms. */
  readonly locksOnce: boolean
  /** The nonces or coins that the transaction uses up; none where its family does not say. */
  readonly usedUp: readonly string[]
  /** A consent is to the refund of these alone; null where its family does not say so. */
  readonly refunded: readonly string[] | null
  /** Null means that no transaction is signed. */
  readonly fee: FeeEntry | null
  /** The id that the transaction will have, where the family knows it. */
  readonly transaction: string | null
}

/** No time passes between the call and the write of its entry, so nothing else is granted in between. It throws `Refusal`. */
export type Decision = (history: History) => GrantEntry
