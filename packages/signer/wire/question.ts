/** A question as it is sent to a signer, and as it is read there: what a thief of the solver's host sends is data that fits the shape, or nothing. */
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Question } from '@tandem/keys/asked-keys.ts'
import type { SignedVerb, SourceHint } from '@tandem/keys/purpose.ts'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { decode, encode, NotPlain } from './codec.ts'

const strict = { additionalProperties: false } as const
const MAX_ACTIONS = 64
const MAX_DEPOSITS = 64

const Name = Type.String({ minLength: 1, maxLength: 256 })
const Asset = Type.Unsafe<`${string}:${string}`>(Type.String({ pattern: '^[a-z0-9_]+:[A-Za-z0-9_.-]+$', maxLength: 128 }))
const Amount = Type.BigInt()

const Terms = Type.Object(
  {
    asset: Asset,
    initiator: Name,
    redeemer: Name,
    amount: Amount,
    secretHash: Type.Unsafe<`${string}`>(Type.String({ pattern: '^[0-9a-f]{64}$' })),
    timelock: Amount,
  },
  strict,
)

const Source = Type.Object(
  {
    chain: Name,
    terms: Terms,
    deposits: Type.Array(Type.Object({ id: Name, height: Amount }, strict), { minItems: 1, maxItems: MAX_DEPOSITS }),
  },
  strict,
)

const verbs: readonly SignedVerb[] = [
  'initiate',
  'redeem',
  'refund',
  'reclaim',
  'close',
  'relay',
  'cancel',
  'fill',
  'instant-refund',
  'cosigned-redeem',
]
const Verb = Type.Unsafe<SignedVerb>(Type.Union(verbs.map((verb) => Type.Literal(verb))))

const Action = Type.Object(
  {
    order: Name,
    leg: Type.Union([Type.Literal('source'), Type.Literal('destination')]),
    verb: Verb,
    terms: Terms,
    gas: Type.Optional(Amount),
    to: Type.Optional(Name),
    paidBy: Type.Optional(Source),
  },
  strict,
)

const Purpose = Type.Union([
  Type.Object({ kind: Type.Literal('order'), chain: Name, actions: Type.Array(Action, { minItems: 1, maxItems: MAX_ACTIONS }) }, strict),
  Type.Object({ kind: Type.Literal('withdraw'), chain: Name, asset: Asset, recipient: Name, amount: Amount }, strict),
  Type.Object({ kind: Type.Literal('deploy'), chain: Name, asset: Type.Union([Asset, Type.Null()]) }, strict),
  Type.Object({ kind: Type.Literal('rescue'), chain: Name, terms: Terms }, strict),
  Type.Object({ kind: Type.Literal('claim'), chain: Name, asset: Asset, recipient: Name, total: Amount }, strict),
  Type.Object({ kind: Type.Literal('fund'), chain: Name, asset: Asset, contract: Name, amount: Amount }, strict),
])

const Curve = Type.Union([Type.Literal('secp256k1'), Type.Literal('ed25519'), Type.Literal('stark')])

const Asked = Type.Object(
  {
    way: Type.Union([Type.Literal('operation'), Type.Literal('job')]),
    name: Name,
    signers: Type.Array(
      Type.Object({ curve: Curve, public_key: Type.String({ pattern: '^[0-9a-f]{64,66}$' }), purpose: Purpose }, strict),
      {
        minItems: 1,
        maxItems: MAX_ACTIONS,
      },
    ),
    args: Type.Array(Type.Unknown()),
  },
  strict,
)

const Continued = Type.Object({ session: Name, name: Name, args: Type.Array(Type.Unknown()) }, strict)

export type AskedPurpose = Static<typeof Purpose>
export type AskedAction = Omit<Static<typeof Action>, 'paidBy'> & { readonly paidBy?: SourceHint }
export type AskedQuestion = Static<typeof Asked>
export type Continuation = Static<typeof Continued>

const isAsked = Compile(Asked)
const isContinued = Compile(Continued)

export function writeQuestion({ way, name, signers, args }: Question): string {
  return encode({
    way,
    name,
    signers: signers.map(({ curve, publicKey, purpose }) => ({ curve, public_key: bytesToHex(publicKey), purpose })),
    args,
  })
}

/** Throws `NotPlain` for anything else. */
export function readQuestion(text: string): AskedQuestion {
  const value = decode(text)
  if (!isAsked.Check(value)) throw new NotPlain('it is not a question to a signer')
  return value
}

export function writeContinuation(continuation: Continuation): string {
  return encode(continuation)
}

export function readContinuation(text: string): Continuation {
  const value = decode(text)
  if (!isContinued.Check(value)) throw new NotPlain('it continues no session')
  return value
}
