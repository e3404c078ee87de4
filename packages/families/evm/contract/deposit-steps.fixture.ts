// Draws random payments to deposit addresses of a few orders, and calls that concern them.
import fc from 'fast-check'
import type { HtlcKind } from './htlc.fixture.ts'
import { type Account, account, pick, type StepFrom, stepsOf, type Terms } from './htlc-steps.fixture.ts'

/** A sequence has few, and its steps pick among them. */
export interface DepositTerms {
  readonly kind: HtlcKind
  readonly terms: Terms<Account>
  /** From the start of the sequence until the deadline. */
  readonly seconds: bigint
}

export type DrawnDeposit = DepositTerms & {
  /** This comes before all steps. */
  readonly first: Part
}

/** Makes another deposit, which has another address. */
export type DepositTwist = 'none' | 'initiator' | 'amount' | 'deadline' | 'chain'
/** The asset is what the contract locks. */
export type Money = 'asset' | 'other' | 'coin'
export type Part = 'all' | 'half' | 'otherHalf' | 'surplus'
export type CallOnOrder = 'initiateOnBehalf' | 'revoke' | 'redeem' | 'refund' | 'instantRefund'

interface OnDeposit {
  readonly caller: Account
  readonly pick: number
  readonly twist: DepositTwist
}

/** A payment is one of native coin. */
export interface InnerStep extends Omit<OnDeposit, 'caller'> {
  readonly act: 'pay' | 'initiate' | 'reclaim'
  readonly money: Money
  readonly part: Part
}

export interface DepositCalls {
  readonly payDeposit: OnDeposit & { readonly money: Money; readonly part: Part }
  readonly initiateDeposit: OnDeposit
  readonly reclaimDeposited: OnDeposit & { readonly money: Money }
  /** Several calls in one transaction, by a contract or by a key with code. Neither is a party. */
  readonly inOneTransaction: { readonly caller: Account; readonly by: 'contract' | 'key with code'; readonly calls: readonly InnerStep[] }
  /** The ordinary call, for the order of a deposit. */
  readonly callOnOrder: { readonly caller: Account; readonly pick: number; readonly name: CallOnOrder }
}

const twist = fc.oneof(
  { weight: 9, arbitrary: fc.constant<DepositTwist>('none') },
  { weight: 1, arbitrary: fc.constantFrom<DepositTwist>('initiator', 'amount', 'deadline', 'chain') },
)
const money = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Money>('asset') },
  { weight: 1, arbitrary: fc.constantFrom<Money>('other', 'coin') },
)

const part = fc.constantFrom<Part>('all', 'all', 'half', 'otherHalf', 'surplus')
export const nextAccount: Readonly<Record<Account, Account>> = { 0: 1, 1: 2, 2: 0 }

/** Each has two parties, or few would open their orders. The twist of the initiator makes deposits that have one. */
export function drawnDeposits(kinds: readonly HtlcKind[], terms: fc.Arbitrary<Terms<Account>>): fc.Arbitrary<DrawnDeposit> {
  return fc.record({
    kind: fc.constantFrom(...kinds),
    terms: terms.map((terms) => ({ ...terms, redeemer: nextAccount[terms.initiator] })),
    seconds: fc.constantFrom(60n, 86_400n, 30n * 86_400n),
    first: part,
  })
}

export function depositSteps() {
  const onDeposit = { caller: account, pick, twist }
  const step = stepsOf<DepositCalls>()
  return [
    step(4, 'payDeposit', { ...onDeposit, money, part }),
    step(3, 'initiateDeposit', onDeposit),
    step(3, 'reclaimDeposited', { ...onDeposit, money }),
    step(3, 'inOneTransaction', {
      caller: account,
      by: fc.constantFrom('contract', 'key with code'),
      calls: fc.array(fc.record({ act: fc.constantFrom('pay', 'initiate', 'reclaim'), pick, twist, money, part }), {
        minLength: 2,
        maxLength: 4,
      }),
    }),
    step(2, 'callOnOrder', {
      caller: account,
      pick,
      name: fc.constantFrom<CallOnOrder>('initiateOnBehalf', 'revoke', 'redeem', 'refund', 'instantRefund'),
    }),
  ]
}

export type DepositStep = StepFrom<DepositCalls>

const calls: readonly string[] = [
  'payDeposit',
  'initiateDeposit',
  'reclaimDeposited',
  'inOneTransaction',
  'callOnOrder',
] satisfies (keyof DepositCalls)[]
export const isDepositStep = <Step extends { readonly call: string }>(step: Step | DepositStep): step is DepositStep =>
  calls.includes(step.call)
