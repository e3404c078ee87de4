// Random calls of an HTLC, drawn from so few parties, amounts and secrets that many concern the same order.
import fc from 'fast-check'
import type { HtlcKind } from './htlc.fixture.ts'

/** 0, 1 and 2 are accounts; 3 is the zero address. */
export type Party = 0 | 1 | 2 | 3
export type Account = 0 | 1 | 2

export interface Terms {
  readonly initiator: Party
  readonly redeemer: Party
  readonly timelock: bigint
  readonly amount: bigint
  readonly secret: number
}

/** How a settlement differs from the order it was made for. */
export type Twist = 'none' | 'secret' | 'amount' | 'redeemer' | 'timelock'

export type TokenKind = Exclude<HtlcKind, 'native'>

interface Opening {
  readonly kind: HtlcKind
  readonly caller: Account
  readonly terms: Terms
}

interface Settling {
  readonly kind: HtlcKind
  readonly caller: Account
  /** Index of a known order, modulo their number. */
  readonly pick: number
  readonly twist: Twist
}

/** The functions of the contracts, with what a call of each is drawn from, and what else may happen between calls. */
interface Calls {
  readonly initiate: Opening
  readonly initiateOnBehalf: Opening
  readonly initiateWithSignature: Omit<Opening, 'kind'> & { readonly kind: TokenKind; readonly signer: Account }
  readonly redeem: Settling
  readonly redeemBatch: { readonly kind: HtlcKind; readonly caller: Account; readonly redeemer: Account; readonly picks: readonly number[] }
  readonly refund: Settling
  readonly instantRefund: Settling & { readonly signer: Account }
  readonly revoke: Opening
  readonly wait: { readonly seconds: bigint }
  readonly donate: { readonly kind: TokenKind; readonly caller: Account; readonly amount: bigint }
}

export type StepOf<Call extends keyof Calls> = { readonly call: Call } & Calls[Call]
export type Step = { [Call in keyof Calls]: StepOf<Call> }[keyof Calls]

const days = 86_400n
const kind = fc.constantFrom<HtlcKind>('ERC-20', 'TRC-20', 'native')
const tokenKind = fc.constantFrom<TokenKind>('ERC-20', 'TRC-20')
const account = fc.constantFrom<Account>(0, 1, 2)
const party = fc.oneof({ weight: 12, arbitrary: account }, { weight: 1, arbitrary: fc.constant<Party>(3) })
const pick = fc.nat(20)
const twist = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Twist>('none') },
  { weight: 1, arbitrary: fc.constantFrom<Twist>('secret', 'amount', 'redeemer', 'timelock') },
)
const terms = fc.record({
  initiator: party,
  redeemer: party,
  timelock: fc.oneof(
    { weight: 10, arbitrary: fc.constantFrom(1n, 60n, 30n * days) },
    { weight: 1, arbitrary: fc.constantFrom(0n, 30n * days + 1n, 2n ** 256n - 1n) },
  ),
  amount: fc.oneof({ weight: 15, arbitrary: fc.constantFrom(1n, 2n, 1_000n) }, { weight: 1, arbitrary: fc.constant(0n) }),
  secret: fc.nat(2),
})
const settling = { kind, caller: account, pick, twist }

const stepOf = <Call extends keyof Calls>(weight: number, call: Call, arbitrary: fc.Arbitrary<Calls[Call]>) => ({
  weight,
  arbitrary: arbitrary.map((drawn) => ({ call, ...drawn }) as Step),
})

const step = fc.oneof(
  stepOf(2, 'initiate', fc.record({ kind, caller: account, terms })),
  stepOf(2, 'initiateOnBehalf', fc.record({ kind, caller: account, terms })),
  stepOf(3, 'initiateWithSignature', fc.record({ kind: tokenKind, caller: account, signer: account, terms })),
  stepOf(2, 'redeem', fc.record(settling)),
  stepOf(2, 'redeemBatch', fc.record({ kind, caller: account, redeemer: account, picks: fc.array(pick, { maxLength: 6 }) })),
  stepOf(2, 'refund', fc.record(settling)),
  stepOf(2, 'instantRefund', fc.record({ ...settling, signer: account })),
  stepOf(1, 'revoke', fc.record({ kind, caller: account, terms })),
  stepOf(2, 'wait', fc.record({ seconds: fc.constantFrom(1n, 59n, 60n, 30n * days - 1n) })),
  stepOf(1, 'donate', fc.record({ kind: tokenKind, caller: account, amount: fc.constantFrom(1n, 1_000n) })),
)

export const steps = fc.array(step, { minLength: 6, maxLength: 18 })
