// Draws random calls of an HTLC from so few parties, amounts and secrets that many concern the same order.
import fc from 'fast-check'

export type Account = 0 | 1 | 2

export interface Terms<Party extends number> {
  readonly initiator: Party
  readonly redeemer: Party
  readonly timelock: bigint
  readonly amount: bigint
  readonly secret: number
}

export type Twist = 'none' | 'secret' | 'amount' | 'redeemer' | 'timelock'

interface Opening<Party extends number> {
  readonly caller: Account
  readonly terms: Terms<Party>
}

interface Settling {
  readonly caller: Account
  readonly pick: number
  readonly twist: Twist
}

export interface HtlcCalls<Party extends number> {
  readonly initiate: Opening<Party>
  readonly initiateOnBehalf: Opening<Party>
  readonly initiateWithSignature: Opening<Party> & { readonly signer: Account }
  readonly redeem: Settling
  readonly redeemBatch: { readonly caller: Account; readonly redeemer: Account; readonly picks: readonly number[] }
  readonly refund: Settling
  readonly instantRefund: Settling & { readonly signer: Account }
  readonly revoke: Opening<Party>
}

export type StepOf<Calls, Call extends keyof Calls> = { readonly call: Call } & Calls[Call]
export type StepFrom<Calls> = { [Call in keyof Calls]: StepOf<Calls, Call> }[keyof Calls]

export const account = fc.constantFrom<Account>(0, 1, 2)
export const pick = fc.nat(20)
export const twist = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Twist>('none') },
  { weight: 1, arbitrary: fc.constantFrom<Twist>('secret', 'amount', 'redeemer', 'timelock') },
)

export function stepsOf<Calls>() {
  return <Call extends keyof Calls>(weight: number, call: Call, drawn: { [Key in keyof Calls[Call]]: fc.Arbitrary<Calls[Call][Key]> }) => ({
    weight,
    arbitrary: fc.record(drawn).map((values) => ({ call, ...values }) as StepFrom<Calls>),
  })
}

export function htlcSteps<Party extends number>(terms: fc.Arbitrary<Terms<Party>>) {
  const opening = { caller: account, terms }
  const settling = { caller: account, pick, twist }
  const step = stepsOf<HtlcCalls<Party>>()
  return [
    step(2, 'initiate', opening),
    step(2, 'initiateOnBehalf', opening),
    step(3, 'initiateWithSignature', { ...opening, signer: account }),
    step(2, 'redeem', settling),
    step(2, 'redeemBatch', { caller: account, redeemer: account, picks: fc.array(pick, { maxLength: 6 }) }),
    step(2, 'refund', settling),
    step(2, 'instantRefund', { ...settling, signer: account }),
    step(1, 'revoke', opening),
  ]
}
