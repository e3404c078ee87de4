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

const Lock = Type.Object(
  {
    kind: Type.Literal('lock'),
    ...asked,
    asset: Text,
    swap: Text,
    secret_hash: Text,
    source: Text,
    deposits: Texts,
    worth: Whole,
    /** It counts as open, and as paid against what is not final, until these times. */
    open_until: Seconds,
    unfinal_until: Seconds,
    /** Until then its source outlives it, also if it is signed again. */
    repeat_until: Seconds,
    /** Null means that the chain itself refuses a second lock. */
    used_up: Type.Union([Texts, Type.Null()]),
  },
  strict,
)

/** Null means all deposits of the source. */
const Consent = Type.Object(
  { kind: Type.Literal('consent'), ...asked, secret_hash: Text, deposits: Type.Union([Texts, Type.Null()]) },
  strict,
)

const withdrawal = { asset: Text, recipient: Text, amount: Whole }
const WithdrawalSeen = Type.Object({ kind: Type.Literal('withdrawal-seen'), ...asked, ...withdrawal }, strict)
const Withdrawal = Type.Object(
  {
    kind: Type.Literal('withdrawal'),
    ...asked,
    ...withdrawal,
    worth: Whole,
    used_up: Texts,
    approval: Type.Union([Text, Type.Null()]),
  },
  strict,
)

const Other = Type.Object({ kind: Type.Literal('other'), ...asked, order: Text }, strict)
const Refused = Type.Object({ kind: Type.Literal('refused'), ...asked, why: Text }, strict)
const Held = Type.Object({ kind: Type.Literal('held'), at: Seconds, why: Text }, strict)
const Confirmed = Type.Object({ kind: Type.Literal('confirmed'), at: Seconds }, strict)

const Entry = Type.Union([Lock, Consent, WithdrawalSeen, Withdrawal, Other, Refused, Held, Confirmed])

export type Entry = Static<typeof Entry>
export type LockEntry = Static<typeof Lock>
export type ConsentEntry = Static<typeof Consent>
export type WithdrawalEntry = Static<typeof Withdrawal>
export type Asked = Pick<LockEntry, keyof typeof asked>

const isEntry = Compile(Entry)

export function readEntry(value: unknown): Entry {
  if (!isEntry.Check(value)) throw new Error('is no entry of this version')
  return value
}
