/** The simulation plays random histories; their end must satisfy the rules of this file. */
import fc from 'fast-check'
import type { Leg } from '../../order.ts'
import type { Settled } from './chain-model.ts'
import type { Conduct, Span } from './honest-party.ts'
import { AMOUNT, FUNDING_SECONDS, MAX_LAG_SECONDS, type ModelKind, STEP_SECONDS } from './model-order.ts'
import type { Plan, PlannedDeposit } from './plan.ts'

/** A fixed seed makes a failure reproducible. `SIMULATION_RUNS=5000` plays that many random histories. */
const { SIMULATION_RUNS } = process.env
const parameters = SIMULATION_RUNS === undefined ? { numRuns: 80, seed: 1 } : { numRuns: Number(SIMULATION_RUNS) }

export const seconds = (least: number, most: number) =>
  fc.integer({ min: Math.ceil(least / STEP_SECONDS), max: Math.floor(most / STEP_SECONDS) }).map((steps) => steps * STEP_SECONDS)
const legs = fc.constantFrom<Leg>('source', 'destination')
export const kinds = fc.record({
  source: fc.constantFrom<ModelKind>('blocks', 'seconds', 'absolute'),
  destination: fc.constantFrom<ModelKind>('blocks', 'seconds', 'absolute'),
})
const percents = fc.oneof(fc.constantFrom([0], [100]), fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 8 }))
/** The order is in danger when the source runs fast and the destination slowly. */
export const pace = fc.oneof(fc.constant({ source: [0], destination: [100] }), fc.record({ source: percents, destination: percents }))
export const reorgs = fc.array(fc.record({ leg: legs, at: seconds(10, 1600), drops: fc.boolean() }), { maxLength: 4 })

const undo = fc.option(
  fc.record({ what: fc.constantFrom('deposit' as const, 'redeem' as const), after: seconds(5, 15), drops: fc.boolean() }),
  {
    nil: null,
  },
)
export const undoes = fc.record({ source: undo, destination: undo })

export const depositAt = (at: fc.Arbitrary<number>): fc.Arbitrary<PlannedDeposit> => {
  const amount = fc.constantFrom('exact', 'exact', 'nearly', 'half', 'half', 'dust', 'over') as fc.Arbitrary<PlannedDeposit['amount']>
  return fc.oneof(
    fc.record({ at, amount, waits: fc.oneof(fc.constant(0), seconds(0, 600)), vanishes: fc.constant(false) }),
    fc.record({ at, amount, waits: seconds(0, 2400), vanishes: fc.constant(true) }),
  )
}
export const good = (at: number, amount: 'exact' | 'half'): PlannedDeposit => ({ at, amount, waits: 0, vanishes: false })
/** The first deposit is mostly an amount that counts, in time or nearly so. Anything may follow. */
export const userDeposits = fc
  .tuple(
    fc.oneof(
      seconds(5, FUNDING_SECONDS - 30).map((at) => [good(at, 'exact')]),
      seconds(FUNDING_SECONDS - 30, FUNDING_SECONDS + 60).map((at) => [good(at, 'exact')]),
      fc.tuple(seconds(5, 200), seconds(5, 200)).map(([a, b]) => [good(a, 'half'), good(b, 'half')]),
      fc.constant([]),
    ),
    fc.array(depositAt(seconds(5, 900)), { maxLength: 3 }),
  )
  .map(([first, more]) => [...first, ...more])

/** The value is mostly null. Otherwise the client offers the secret, or the user asks for a refund, from this time on. */
const sometimes = fc.oneof(fc.constant(null), fc.constant(null), seconds(0, 900))
export const revealsAt = sometimes
export const takesBackAt = sometimes

/** An honest party stays within its margins: it skips at most two steps between two polls. */
const polls = fc.constantFrom([true], [true, false], [true, false, false], [true, true, false])
export const conductOf = (down: fc.Arbitrary<readonly Span[]>, blindLeg: Leg): fc.Arbitrary<Conduct> =>
  fc.record({
    lagSeconds: seconds(0, MAX_LAG_SECONDS),
    polls,
    down,
    blind: fc.option(
      fc.tuple(seconds(0, 600), seconds(60, 1500)).map(([from, length]) => ({ leg: blindLeg, from, until: from + length })),
      { nil: null },
    ),
    delays: fc.oneof(fc.constant([30]), fc.array(seconds(0, 30), { minLength: 1, maxLength: 4 })),
    crashesAfterSigning: fc.boolean(),
  })
export const startsLate = fc.oneof(seconds(0, 500), seconds(0, 1100)).map((until) => [{ from: 0, until }])
export const honestSolver = conductOf(startsLate, 'source')
export const honestService = conductOf(startsLate, 'destination')

/** This is the least amount within the tolerance, at the model's price of one to one. */
export const LEAST = (AMOUNT * 97n) / 100n

export const total = (deposits: readonly Settled[], by: string, kind: 'redeemed' | 'refunded') =>
  deposits.filter((d) => d.spend?.kind === kind && d.by === by).reduce((sum, d) => sum + d.amount, 0n)
export const redeemed = (deposits: readonly Settled[]) =>
  deposits.filter((d) => d.spend?.kind === 'redeemed').reduce((sum, d) => sum + d.amount, 0n)

export const pairs = (['blocks', 'seconds'] as const).flatMap((source) =>
  (['blocks', 'seconds'] as const).map((destination) => ({ source, destination })),
)
/** An honest party may be at most this slow. */
export const sluggish: Conduct = {
  lagSeconds: MAX_LAG_SECONDS,
  polls: [true, false, false],
  down: [],
  blind: null,
  delays: [30],
  crashesAfterSigning: true,
}
/** No party can be quicker. */
export const prompt: Conduct = { lagSeconds: 0, polls: [true], down: [], blind: null, delays: [0], crashesAfterSigning: false }
/** There are no deposits, reorgs or choices of the user, and the parties are quick. */
export const uneventful: Plan = {
  kinds: { source: 'blocks', destination: 'seconds' },
  pace: { source: [50], destination: [50] },
  reorgs: [],
  undoes: { source: null, destination: null },
  granted: false,
  revealsAt: null,
  takesBackAt: null,
  userDeposits: [],
  destinationDeposits: [],
  service: prompt,
  userRedeems: { kind: 'never' },
  solver: prompt,
}
export const steps = (from: number, until: number, by: number) =>
  Array.from({ length: Math.ceil((until - from) / by) }, (_, i) => from + i * by)

export function check(plans: fc.Arbitrary<Plan>, holds: (plan: Plan) => void): void {
  fc.assert(fc.property(plans, holds), parameters)
}
