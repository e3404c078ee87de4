// Draws random steps from so few parties, amounts and secrets that many concern the same order.
import fc from 'fast-check'
import type { Kind } from './order.ts'

export interface DrawnTerms {
  readonly initiator: 'initiator' | 'stranger'
  readonly redeemer: 'redeemer' | 'stranger'
  readonly amount: bigint
  readonly timelock: bigint
  readonly secret: number
  /** The unit is the second. */
  readonly window: bigint
}

/** `pick` is the index of an order that was mentioned before, modulo the number of those orders. */
export type Step = { readonly kind: Kind } & (
  | { readonly do: 'initiate'; readonly terms: DrawnTerms; readonly funder: Payer; readonly rentPayer: Payer }
  | { readonly do: 'initiate again'; readonly pick: number; readonly funder: Payer; readonly rentPayer: Payer }
  | { readonly do: 'redeem'; readonly pick: number; readonly rightSecret: boolean; readonly rightPayee: boolean }
  | { readonly do: 'refund'; readonly pick: number }
  | { readonly do: 'instant refund'; readonly pick: number; readonly bySomebodyElse: boolean; readonly isSigned: boolean }
  | { readonly do: 'close'; readonly pick: number; readonly toSomebodyElse: boolean }
  | { readonly do: 'wait'; readonly slots: bigint; readonly seconds: bigint }
  | { readonly do: 'donate'; readonly pick: number }
  /** The order is a new one if it has terms. */
  | { readonly do: 'deposit'; readonly pick: number; readonly extra: bigint; readonly terms: DrawnTerms | null }
  | { readonly do: 'initiate deposited'; readonly pick: number; readonly rentPayer: Payer }
  | { readonly do: 'return deposit'; readonly pick: number; readonly isSigned: boolean }
)

export type Payer = 'funder' | 'rentPayer' | 'initiator'

const kind = fc.constantFrom<Kind>('SOL', 'token')
const payer = fc.constantFrom<Payer>('funder', 'rentPayer', 'initiator')
const pick = fc.nat(20)
const mostly = fc.oneof({ weight: 6, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) })
const rarely = mostly.map((usual) => !usual)
const usually = (...values: readonly bigint[]) =>
  fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: fc.constant(0n) })
const terms = fc.record({
  initiator: fc.constantFrom<DrawnTerms['initiator']>('initiator', 'initiator', 'stranger'),
  redeemer: fc.constantFrom<DrawnTerms['redeemer']>('redeemer', 'redeemer', 'stranger'),
  amount: usually(1n, 1_000n, 5_000_000n),
  timelock: usually(1n, 60n, 1_000n),
  secret: fc.nat(1),
  window: usually(1n, 500n, 3_600n),
})

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('initiate' as const), kind, terms, funder: payer, rentPayer: payer }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('initiate again' as const), kind, pick, funder: payer, rentPayer: payer }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('redeem' as const), kind, pick, rightSecret: mostly, rightPayee: mostly }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('refund' as const), kind, pick }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('instant refund' as const), kind, pick, bySomebodyElse: rarely, isSigned: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('close' as const), kind, pick, toSomebodyElse: rarely }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      kind,
      slots: fc.constantFrom(1n, 59n, 1_000n),
      seconds: fc.constantFrom(0n, 1n, 500n, 3_600n),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('donate' as const), kind, pick }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('deposit' as const),
      kind,
      pick,
      extra: fc.constantFrom(0n, 1n, 1_000_000n),
      terms: fc.option(terms, { freq: 1 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('initiate deposited' as const), kind, pick, rentPayer: payer }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('return deposit' as const), kind, pick, isSigned: rarely }) },
)

export const steps = fc.array(step, { minLength: 6, maxLength: 18 })
