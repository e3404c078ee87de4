/** What a solver and its signer send each other over HTTP, besides the signatures of both. */
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'

export const paths = { sign: '/v1/sign', begin: '/v1/begin', finish: '/v1/finish', status: '/v1/status' } as const

/** A question has the transactions of at most a few hundred deposits. */
export const MAX_BODY_BYTES = 2 * 1024 * 1024

/** The head of the journal that the caller has seen last: `<count> <hash>`. */
export const SEEN_HEADER = 'tandem-journal'

const strict = { additionalProperties: false } as const

const Head = Type.Object({ count: Type.Integer({ minimum: 0 }), hash: Type.String({ pattern: '^[0-9a-f]{64}$' }) }, strict)

/**
 * refused      it will not be signed
 * unreachable  it could not be decided, because a node did not answer: ask again
 * invalid      it is no question
 * broken       the signer itself has a problem
 */
export type FailureKind = 'refused' | 'unreachable' | 'invalid' | 'broken'

export const statusOf: Readonly<Record<FailureKind, number>> = { refused: 403, unreachable: 503, invalid: 400, broken: 500 }

export const SignerStatus = Type.Object(
  {
    keys: Type.Record(Type.String(), Type.String()),
    addresses: Type.Record(Type.String(), Type.String()),
    entries: Type.Integer({ minimum: 0 }),
    open: Type.Object({ locks: Type.Integer({ minimum: 0 }), usd: Type.String() }, strict),
    held: Type.Union([Type.String(), Type.Null()]),
  },
  strict,
)
export type SignerStatus = Static<typeof SignerStatus>

export const isHead = Compile(Head)
export const isStatus = Compile(SignerStatus)
