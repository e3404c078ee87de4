/** What a signer writes into its journal. Amounts are decimal texts, times unix seconds, worth is in millionths of a dollar. */
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'

const strict = { additionalProperties: false } as const
const Text = Type.String()
const Seconds = Type.Integer({ minimum: 0 })
const Whole = Type.String({ pattern: '^(0|[1-9][0-9]*)$' })
const Texts = Type.Array(Text)

/** The question that it answers. `args` is the hash of what was to be signed. */
const asked = { at: Seconds, client: Text, chain: Text, what: Text, operation: Text, args: Text }

/**
 * What the network may take for it at most, in worth. `budget` is the one that it counts in. Of transactions that have a mark in common one is mined. `claims` are
 * the amounts that were said of our coins.
 */
const Fee = Type.Object(
  { budget: Type.Union([Type.Literal('pay'), Type.Literal('collect')]), worth: Whole, marks: Texts, claims: Texts },
  strict,
)
/** Null means that it is no transaction. */
const fee = { fee: Type.Union([Fee, Type.Null()]) }

const Terms = Type.Object({ asset: Text, initiator: Text, redeemer: Text, amount: Whole, timelock: Whole }, strict)

const Lock = Type.Object(
  {
    kind: Type.Literal('lock'),
    ...asked,
    ...fee,
    asset: Text,
    swap: Text,
    secret_hash: Text,
    source: Text,
    deposits: Texts,
    worth: Whole,
    /** Its own terms, and those of its source. */
    terms: Terms,
    source_terms: Terms,
    /** It counts as paid against what is not final until this time. */
    unfinal_until: Seconds,
    /** From then on its source may be refunded, and no sooner. */
    source_ends: Seconds,
    /** Its timelock has ended then, if it is sent at once. */
    ends: Seconds,
    /** The id of its transaction, where the family knows it before. */
    transaction: Type.Union([Text, Type.Null()]),
    /** Until then its source outlives it, also if it is signed again. */
    repeat_until: Seconds,
    /** Null means that the chain itself refuses a second lock. */
    used_up: Type.Union([Texts, Type.Null()]),
  },
  strict,
)

/** Null means all deposits of the source. */
const Consent = Type.Object(
  { kind: Type.Literal('consent'), ...asked, ...fee, secret_hash: Text, deposits: Type.Union([Texts, Type.Null()]) },
  strict,
)

const withdrawal = { asset: Text, recipient: Text, amount: Whole }
const WithdrawalSeen = Type.Object({ kind: Type.Literal('withdrawal-seen'), ...asked, ...withdrawal }, strict)
const Withdrawal = Type.Object(
  {
    kind: Type.Literal('withdrawal'),
    ...asked,
    ...fee,
    ...withdrawal,
    worth: Whole,
    used_up: Texts,
    approval: Type.Union([Text, Type.Null()]),
  },
  strict,
)

/** `secret_hashes` are of all its orders. */
const Other = Type.Object({ kind: Type.Literal('other'), ...asked, ...fee, order: Text, secret_hashes: Texts }, strict)
/** The signer's own nodes have shown that a lock is settled. */
const Settled = Type.Object({ kind: Type.Literal('settled'), at: Seconds, secret_hash: Text, why: Text }, strict)
const Refused = Type.Object({ kind: Type.Literal('refused'), ...asked, why: Text }, strict)
const Held = Type.Object({ kind: Type.Literal('held'), at: Seconds, why: Text }, strict)
const Confirmed = Type.Object({ kind: Type.Literal('confirmed'), at: Seconds }, strict)

const Entry = Type.Union([Lock, Consent, WithdrawalSeen, Withdrawal, Other, Settled, Refused, Held, Confirmed])

export type Entry = Static<typeof Entry>
export type LockEntry = Static<typeof Lock>
export type ConsentEntry = Static<typeof Consent>
export type WithdrawalEntry = Static<typeof Withdrawal>
export type GrantEntry = LockEntry | ConsentEntry | WithdrawalEntry | Static<typeof Other>
export type FeeEntry = Static<typeof Fee>
export type TermsEntry = Static<typeof Terms>
export type Asked = Pick<LockEntry, keyof typeof asked>

const isEntry = Compile(Entry)

export function readEntry(value: unknown): Entry {
  if (!isEntry.Check(value)) throw new Error('is no entry of this version')
  return value
}
