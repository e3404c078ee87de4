// Random calls of the HTLC for tokens of HyperCore, drawn from so few parties, amounts and secrets that many concern the same order.
import fc from 'fast-check'

/** The user, the solver and the relay: all have accounts on HyperCore. */
export type Caller = 0 | 1 | 2
/** 3 has no account on HyperCore, 4 is the zero address. */
export type Payee = Caller | 3 | 4

export type CoreTerms = {
  readonly initiator: Caller
  readonly redeemer: Payee
  readonly timelock: bigint
  /** In units of HyperCore. */
  readonly amount: bigint
  readonly secret: number
}

type Opening = { readonly caller: Caller; readonly terms: CoreTerms }
/** `pick`: index of a known order, modulo their number. */
type Picked = { readonly caller: Caller; readonly pick: number }
/** `owner`: of the account. */
type OnAccount = Picked & { readonly owner: Caller }

/** The functions of the contract, with what a call of each is drawn from, and what else may happen between calls. */
interface Calls {
  readonly initiate: Opening
  readonly initiateOnBehalf: Opening
  readonly initiateWithSignature: Opening & { readonly signer: Caller }
  /** To an account, in units of the ERC-20. */
  readonly payOnEvm: { readonly caller: Caller; readonly owner: Caller; readonly amount: bigint }
  /** To an account on HyperCore, in its units. */
  readonly payOnCore: { readonly caller: Caller; readonly owner: Caller; readonly amount: bigint }
  readonly cross: { readonly caller: Caller; readonly owner: Caller }
  /** `late`: the later of two deadlines. */
  readonly initiateFromAccount: Opening & { readonly late: boolean }
  readonly initiateConsented: OnAccount
  readonly reclaim: OnAccount
  readonly withdraw: { readonly caller: Caller }
  readonly redeem: Picked
  readonly redeemBatch: { readonly caller: Caller; readonly redeemer: Caller; readonly picks: readonly number[] }
  readonly refund: Picked
  readonly instantRefund: Picked & { readonly signer: Caller }
  readonly revoke: Opening
  /** Whether HyperCore has enough for payouts to reach spot accounts. */
  readonly fillBridge: { readonly isFull: boolean }
  readonly wait: { readonly seconds: bigint }
}

export type CoreStepOf<Call extends keyof Calls> = { readonly call: Call } & Calls[Call]
export type CoreStep = { [Call in keyof Calls]: CoreStepOf<Call> }[keyof Calls]

const caller = fc.constantFrom<Caller>(0, 1, 2)
const pick = fc.nat(20)
const late = fc.boolean()
const terms = fc.record({
  initiator: caller,
  redeemer: fc.oneof({ weight: 12, arbitrary: fc.constantFrom<Payee>(0, 1, 2, 3) }, { weight: 1, arbitrary: fc.constant<Payee>(4) }),
  timelock: fc.oneof({ weight: 10, arbitrary: fc.constantFrom(5n, 60n) }, { weight: 1, arbitrary: fc.constant(0n) }),
  amount: fc.oneof({ weight: 12, arbitrary: fc.constantFrom(1n, 1_000n) }, { weight: 1, arbitrary: fc.constantFrom(0n, 2n ** 64n) }),
  secret: fc.nat(1),
})
const opening = { caller, terms }

const stepOf = <Call extends keyof Calls>(weight: number, call: Call, arbitrary: fc.Arbitrary<Calls[Call]>) => ({
  weight,
  arbitrary: arbitrary.map((drawn) => ({ call, ...drawn }) as CoreStep),
})

const step = fc.oneof(
  stepOf(1, 'initiate', fc.record(opening)),
  stepOf(2, 'initiateOnBehalf', fc.record(opening)),
  stepOf(2, 'initiateWithSignature', fc.record({ ...opening, signer: caller })),
  stepOf(
    3,
    'payOnEvm',
    fc.record({ caller, owner: caller, amount: fc.constantFrom(1n, 10n ** 13n, 1_000n * 10n ** 13n, 3n * 10n ** 13n + 7n) }),
  ),
  stepOf(3, 'payOnCore', fc.record({ caller, owner: caller, amount: fc.constantFrom(1n, 999n, 1_000n, 2_500n) })),
  stepOf(2, 'cross', fc.record({ caller, owner: caller })),
  stepOf(4, 'initiateFromAccount', fc.record({ ...opening, late })),
  stepOf(4, 'initiateConsented', fc.record({ caller, pick, owner: caller })),
  stepOf(3, 'reclaim', fc.record({ caller, pick, owner: caller })),
  stepOf(1, 'withdraw', fc.record({ caller })),
  stepOf(2, 'redeem', fc.record({ caller, pick })),
  stepOf(2, 'redeemBatch', fc.record({ caller, redeemer: caller, picks: fc.array(pick, { maxLength: 5 }) })),
  stepOf(2, 'refund', fc.record({ caller, pick })),
  stepOf(2, 'instantRefund', fc.record({ caller, pick, signer: caller })),
  stepOf(2, 'revoke', fc.record(opening)),
  stepOf(1, 'fillBridge', fc.record({ isFull: fc.boolean() })),
  stepOf(2, 'wait', fc.record({ seconds: fc.constantFrom(4n, 60n, 4_000n) })),
)

export const coreSteps = fc.array(step, { minLength: 8, maxLength: 20 })
