// Random calls of an HTLC, drawn from so few parties, amounts and secrets that they often meet the same order.
import fc from 'fast-check'
import type { HtlcKind } from './htlc-scene.ts'

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

interface Settling {
  readonly kind: HtlcKind
  readonly caller: Account
  /** Which of the orders known so far, counted round. */
  readonly pick: number
  readonly twist: Twist
}

export type Step =
  | { readonly call: 'initiate' | 'initiateOnBehalf'; readonly kind: HtlcKind; readonly caller: Account; readonly terms: Terms }
  | { readonly call: 'initiateWithSignature'; readonly caller: Account; readonly signer: Account; readonly terms: Terms }
  | ({ readonly call: 'redeem' | 'refund' } & Settling)
  | ({ readonly call: 'instantRefund'; readonly signer: Account } & Settling)
  | {
      readonly call: 'redeemBatch'
      readonly kind: HtlcKind
      readonly caller: Account
      readonly redeemer: Account
      readonly picks: number[]
    }
  | { readonly call: 'wait'; readonly seconds: bigint }
  | { readonly call: 'donate'; readonly caller: Account; readonly amount: bigint }

const days = 86_400n
const kind = fc.constantFrom<HtlcKind>('ERC-20', 'native')
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

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ call: fc.constantFrom('initiate', 'initiateOnBehalf'), kind, caller: account, terms }) },
  { weight: 3, arbitrary: fc.record({ call: fc.constant('initiateWithSignature'), caller: account, signer: account, terms }) },
  { weight: 4, arbitrary: fc.record({ call: fc.constantFrom('redeem', 'refund'), ...settling }) },
  { weight: 2, arbitrary: fc.record({ call: fc.constant('instantRefund'), signer: account, ...settling }) },
  {
    weight: 2,
    arbitrary: fc.record({
      call: fc.constant('redeemBatch'),
      kind,
      caller: account,
      redeemer: account,
      picks: fc.array(pick, { maxLength: 6 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ call: fc.constant('wait'), seconds: fc.constantFrom(1n, 59n, 60n, 30n * days - 1n) }) },
  { weight: 1, arbitrary: fc.record({ call: fc.constant('donate'), caller: account, amount: fc.constantFrom(1n, 1_000n) }) },
)

export const steps = fc.array(step, { minLength: 6, maxLength: 18 })
