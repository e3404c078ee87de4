/** The two invariants over thousands of random histories: speeds, delays, pauses, stuck nodes, crashes, reorgs, and counterparties who cheat. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Leg } from '../order.ts'
import { assertTimelocksSafe } from '../timelock.ts'
import type { Settled } from './chain-model.ts'
import { playHistory } from './history.ts'
import type { Conduct, Span } from './honest-party.ts'
import { AMOUNT, FUNDING_SECONDS, MOST_LAG_SECONDS, type ModelKind, modelChains, START, STEP_SECONDS } from './model-order.ts'
import type { Plan, PlannedDeposit, RedeemTactic } from './plan.ts'

/** A fixed seed, so that a failure is reproducible; `SIMULATION_RUNS=5000` plays that many random ones. */
const { SIMULATION_RUNS } = process.env
const parameters = SIMULATION_RUNS === undefined ? { numRuns: 80, seed: 1 } : { numRuns: Number(SIMULATION_RUNS) }

const seconds = (least: number, most: number) =>
  fc.integer({ min: Math.ceil(least / STEP_SECONDS), max: Math.floor(most / STEP_SECONDS) }).map((steps) => steps * STEP_SECONDS)
const legs = fc.constantFrom<Leg>('source', 'destination')
const kinds = fc.record({
  source: fc.constantFrom<ModelKind>('blocks', 'seconds', 'absolute'),
  destination: fc.constantFrom<ModelKind>('blocks', 'seconds', 'absolute'),
})
const percents = fc.oneof(fc.constantFrom([0], [100]), fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 8 }))
/** The order is in danger when the source runs fast and the destination slowly. */
const pace = fc.oneof(fc.constant({ source: [0], destination: [100] }), fc.record({ source: percents, destination: percents }))
const reorgs = fc.array(fc.record({ leg: legs, at: seconds(10, 1600), drops: fc.boolean() }), { maxLength: 4 })

const undo = fc.option(
  fc.record({ what: fc.constantFrom('deposit' as const, 'redeem' as const), after: seconds(5, 15), drops: fc.boolean() }),
  {
    nil: null,
  },
)
const undoes = fc.record({ source: undo, destination: undo })

const depositAt = (at: fc.Arbitrary<number>): fc.Arbitrary<PlannedDeposit> => {
  const amount = fc.constantFrom('exact', 'exact', 'nearly', 'half', 'half', 'dust', 'over') as fc.Arbitrary<PlannedDeposit['amount']>
  return fc.oneof(
    fc.record({ at, amount, waits: fc.oneof(fc.constant(0), seconds(0, 600)), vanishes: fc.constant(false) }),
    fc.record({ at, amount, waits: seconds(0, 2400), vanishes: fc.constant(true) }),
  )
}
const good = (at: number, amount: 'exact' | 'half'): PlannedDeposit => ({ at, amount, waits: 0, vanishes: false })
/** Mostly an amount that counts, in time or nearly so, followed by anything. */
const userDeposits = fc
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

/** Mostly null; else the time from which the client offers the secret, or the user asks for a refund. */
const sometimes = fc.oneof(fc.constant(null), fc.constant(null), seconds(0, 900))
const revealsAt = sometimes
const takesBackAt = sometimes

/** Within its margins: it skips at most two steps between two polls. */
const polls = fc.constantFrom([true], [true, false], [true, false, false], [true, true, false])
const conductOf = (down: fc.Arbitrary<readonly Span[]>, blindLeg: Leg): fc.Arbitrary<Conduct> =>
  fc.record({
    lagSeconds: seconds(0, MOST_LAG_SECONDS),
    polls,
    down,
    blind: fc.option(
      fc.tuple(seconds(0, 600), seconds(60, 1500)).map(([from, length]) => ({ leg: blindLeg, from, until: from + length })),
      { nil: null },
    ),
    delays: fc.oneof(fc.constant([30]), fc.array(seconds(0, 30), { minLength: 1, maxLength: 4 })),
    crashesAfterSigning: fc.boolean(),
  })
const startsLate = fc.oneof(seconds(0, 500), seconds(0, 1100)).map((until) => [{ from: 0, until }])
const honestSolver = conductOf(startsLate, 'source')
const honestService = conductOf(startsLate, 'destination')

/** The least amount within the tolerance, at the model's price of one to one. */
const LEAST = (AMOUNT * 97n) / 100n

const total = (deposits: readonly Settled[], by: string, kind: 'redeemed' | 'refunded') =>
  deposits.filter((d) => d.spend?.kind === kind && d.by === by).reduce((sum, d) => sum + d.amount, 0n)
const redeemed = (deposits: readonly Settled[]) =>
  deposits.filter((d) => d.spend?.kind === 'redeemed').reduce((sum, d) => sum + d.amount, 0n)

const pairs = (['blocks', 'seconds'] as const).flatMap((source) =>
  (['blocks', 'seconds'] as const).map((destination) => ({ source, destination })),
)
/** As slow as an honest party may be. */
const sluggish: Conduct = {
  lagSeconds: MOST_LAG_SECONDS,
  polls: [true, false, false],
  down: [],
  blind: null,
  delays: [30],
  crashesAfterSigning: true,
}
const steps = (from: number, until: number, by: number) => Array.from({ length: Math.ceil((until - from) / by) }, (_, i) => from + i * by)

function check(plans: fc.Arbitrary<Plan>, holds: (plan: Plan) => void): void {
  fc.assert(fc.property(plans, holds), parameters)
}

describe('the model', () => {
  it('keeps safe timelocks for every pair', () => {
    for (const source of Object.values(modelChains)) {
      for (const destination of Object.values(modelChains)) assertTimelocksSafe(source, destination)
    }
  })

  it('completes when all parties are prompt, and refunds when the solver is absent', () => {
    const prompt: Conduct = { lagSeconds: 0, polls: [true], down: [], blind: null, delays: [0], crashesAfterSigning: false }
    for (const source of ['blocks', 'seconds'] as const) {
      for (const destination of ['blocks', 'seconds'] as const) {
        const plan: Plan = {
          kinds: { source, destination },
          pace: { source: [50], destination: [50] },
          reorgs: [],
          undoes: { source: null, destination: null },
          granted: false,
          revealsAt: null,
          takesBackAt: null,
          userDeposits: [good(50, 'exact')],
          destinationDeposits: [],
          service: prompt,
          userRedeems: { kind: 'never' },
          solver: prompt,
        }
        const done = playHistory(plan)
        expect([redeemed(done.source), redeemed(done.destination), done.secretShown]).toEqual([AMOUNT, AMOUNT, true])
        const alone = playHistory({ ...plan, solver: { ...prompt, down: [{ from: 0, until: 9999 }] } })
        expect([total(alone.source, 'user', 'refunded'), alone.destination, alone.secretShown]).toEqual([AMOUNT, [], false])
      }
    }
  })
})

describe('the solver, against a user and a service who cheat together', () => {
  const tactics: fc.Arbitrary<RedeemTactic> = fc.oneof(
    fc.constant<RedeemTactic>({ kind: 'never' }),
    fc.constant<RedeemTactic>({ kind: 'snipe' }),
    fc.record({ kind: fc.constant('timed' as const), after: seconds(0, 800), shown: seconds(0, 300) }),
  )
  const plans: fc.Arbitrary<Plan> = fc.record({
    kinds,
    pace,
    reorgs,
    undoes,
    granted: fc.constant(false),
    revealsAt: fc.constant(null),
    takesBackAt,
    userDeposits,
    destinationDeposits: fc.array(depositAt(seconds(5, 400)), { maxLength: 2 }),
    service: fc.constant('colludes with the user' as const),
    userRedeems: tactics,
    solver: honestSolver,
  })

  it('never initiates too late, with a live node or a stuck one', () => {
    let initiated = 0
    for (const kinds of pairs) {
      for (const blind of [null, { leg: 'source' as const, from: 150, until: 5000 }]) {
        for (const wakesAt of steps(150, 1150, blind === null ? 15 : 50)) {
          const { source, destination } = playHistory({
            kinds,
            pace: { source: [0], destination: [100] },
            reorgs: [],
            undoes: { source: null, destination: null },
            granted: false,
            revealsAt: null,
            takesBackAt: null,
            userDeposits: [good(100, 'exact')],
            destinationDeposits: [],
            service: 'colludes with the user',
            userRedeems: { kind: 'snipe' },
            solver: { ...sluggish, down: [{ from: 0, until: wakesAt }], blind },
          })
          initiated += destination.length
          if (redeemed(destination) > 0n) expect(redeemed(source)).toBe(AMOUNT)
        }
      }
    }
    expect(initiated).toBeGreaterThan(20)
  })

  it('redeems the deposits it paid for despite a later one that is never mined', () => {
    for (const destination of ['blocks', 'seconds'] as const) {
      const outcome = playHistory({
        kinds: { source: 'blocks', destination },
        pace: { source: [50], destination: [50] },
        reorgs: [],
        undoes: { source: null, destination: null },
        granted: false,
        revealsAt: null,
        takesBackAt: null,
        userDeposits: [good(50, 'half'), good(55, 'half'), { at: 160, amount: 'exact', waits: 2500, vanishes: true }],
        destinationDeposits: [],
        service: 'colludes with the user',
        userRedeems: { kind: 'timed', after: 100, shown: 0 },
        solver: { ...sluggish, delays: [0] },
      })
      expect([redeemed(outcome.destination), redeemed(outcome.source)]).toEqual([AMOUNT, AMOUNT])
    }
  })

  it('never pays what it cannot collect, nor for a late deposit, nor twice, and refunds a destination that was not redeemed', () => {
    check(plans, (plan) => {
      const { source, destination } = playHistory(plan)
      const paid = total(destination, 'solver', 'redeemed')
      const own = destination.filter((d) => d.by === 'solver')
      expect(own.length).toBeLessThanOrEqual(1)
      const inTime = source.filter((d) => d.minedAt <= START + BigInt(FUNDING_SECONDS))
      if (own.length > 0) expect(inTime.reduce((sum, d) => sum + d.amount, 0n)).toBeGreaterThanOrEqual(own[0]?.amount ?? 0n)
      if (paid > 0n) expect(redeemed(source)).toBeGreaterThanOrEqual(paid)
      // An unspent destination is owed to the user: the solver has redeemed the source.
      if (own.some((d) => d.spend === null)) expect(redeemed(source)).toBeGreaterThanOrEqual(LEAST)
    })
  })
})

describe('the user and an honest service, against a solver who cheats', () => {
  const plans: fc.Arbitrary<Plan> = fc.record({
    kinds,
    pace: fc.oneof(fc.constant({ source: [100], destination: [0] }), pace),
    reorgs,
    undoes,
    granted: fc.boolean(),
    revealsAt,
    takesBackAt,
    userDeposits,
    destinationDeposits: fc
      .tuple(
        fc.oneof(
          seconds(5, 600).map((at) => [good(at, 'exact')]),
          fc.tuple(seconds(5, 200), seconds(5, 200)).map(([a, b]) => [good(a, 'half'), good(b, 'half')]),
          fc.constant([]),
        ),
        fc.array(depositAt(seconds(5, 700)), { maxLength: 2 }),
      )
      .map(([first, more]) => [...first, ...more]),
    service: honestService,
    userRedeems: fc.constant({ kind: 'never' as const }),
    solver: fc.constant('dishonest' as const),
  })

  it('never show the secret too late, with a live node or a stuck one', () => {
    let shown = 0
    for (const kinds of pairs) {
      for (const wakesAt of steps(150, 650, 25)) {
        for (const blind of [null, { leg: 'destination' as const, from: 200, until: 5000 }]) {
          const { source, destination, secretShown } = playHistory({
            kinds,
            pace: { source: [100], destination: [0] },
            reorgs: [],
            undoes: { source: null, destination: null },
            granted: false,
            revealsAt: null,
            takesBackAt: null,
            userDeposits: [good(50, 'exact')],
            destinationDeposits: [good(50, 'exact')],
            service: { ...sluggish, down: [{ from: 0, until: wakesAt }], blind },
            userRedeems: { kind: 'never' },
            solver: 'dishonest',
          })
          shown += secretShown ? 1 : 0
          if (redeemed(source) > 0n) expect(redeemed(destination)).toBe(AMOUNT)
        }
      }
    }
    expect(shown).toBeGreaterThan(15)
  })

  it('never lose both legs, and no deposit of the user is stuck', () => {
    check(plans, (plan) => {
      const { source, destination, broken } = playHistory(plan)
      if (redeemed(source) > 0n) expect(redeemed(destination)).toBeGreaterThanOrEqual(LEAST)
      expect(source.filter((d) => d.spend === null)).toEqual([])
      expect(broken).toEqual([])
    })
  })
})

describe('honest parties that crash', () => {
  const crashes = fc.array(
    fc.tuple(seconds(0, 1500), seconds(5, 1800)).map(([from, length]) => ({ from, until: from + length })),
    { maxLength: 3 },
  )
  const plansOf = (down: fc.Arbitrary<readonly Span[]>): fc.Arbitrary<Plan> =>
    fc.record({
      kinds,
      pace,
      reorgs,
      undoes,
      granted: fc.boolean(),
      revealsAt,
      takesBackAt,
      userDeposits,
      destinationDeposits: fc.array(depositAt(seconds(5, 400)), { maxLength: 1 }),
      service: conductOf(down, 'destination'),
      userRedeems: fc.constant({ kind: 'never' as const }),
      solver: conductOf(down, 'source'),
    })

  it('keep both invariants when they are late', () => {
    check(plansOf(startsLate), (plan) => {
      const { source, destination, broken } = playHistory(plan)
      const paid = total(destination, 'solver', 'redeemed')
      if (paid > 0n) expect(redeemed(source)).toBeGreaterThanOrEqual(paid)
      if (redeemed(source) > 0n) expect(redeemed(destination)).toBeGreaterThanOrEqual(LEAST)
      expect(broken).toEqual([])
    })
  })

  it('do not refund the source while the solver is away, once the user is paid or can be', () => {
    const prompt = { ...sluggish, lagSeconds: 0, polls: [true], delays: [0] }
    const away = { from: 120, until: 3500 }
    for (const kinds of pairs) {
      for (const serviceDown of [
        [{ from: 95, until: 130 }],
        [
          { from: 95, until: 130 },
          { from: 135, until: 3000 },
        ],
      ]) {
        const { source, destination } = playHistory({
          kinds,
          pace: { source: [50], destination: [50] },
          reorgs: [],
          undoes: { source: null, destination: null },
          granted: false,
          revealsAt: null,
          takesBackAt: null,
          userDeposits: [good(50, 'exact')],
          destinationDeposits: [],
          service: { ...prompt, down: serviceDown },
          userRedeems: { kind: 'never' },
          solver: { ...prompt, down: [away] },
        })
        expect([redeemed(destination), redeemed(source)]).toEqual([AMOUNT, AMOUNT])
      }
    }
  })

  it('leave nothing stuck and never pay the user twice, however long they were away', () => {
    check(plansOf(crashes), (plan) => {
      const { source, destination, broken } = playHistory(plan)
      if (total(destination, 'solver', 'redeemed') > 0n) expect(redeemed(source)).toBeGreaterThanOrEqual(LEAST)
      expect([...source, ...destination].filter((d) => d.spend === null && d.by !== 'stranger')).toEqual([])
      expect(broken).toEqual([])
    })
  })
})
