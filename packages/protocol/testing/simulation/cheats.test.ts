/** The two invariants must hold over random histories in which a counterparty cheats. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  check,
  depositAt,
  good,
  honestService,
  honestSolver,
  kinds,
  LEAST,
  pace,
  pairs,
  redeemed,
  reorgs,
  revealsAt,
  seconds,
  sluggish,
  steps,
  takesBackAt,
  total,
  undoes,
  uneventful,
  userDeposits,
} from './histories.fixture.ts'
import { playHistory } from './history.ts'
import { AMOUNT, FUNDING_SECONDS, START } from './model-order.ts'
import type { Plan, RedeemTactic } from './plan.ts'

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
            ...uneventful,
            kinds,
            pace: { source: [0], destination: [100] },
            userDeposits: [good(100, 'exact')],
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
        ...uneventful,
        kinds: { source: 'blocks', destination },
        userDeposits: [good(50, 'half'), good(55, 'half'), { at: 160, amount: 'exact', waits: 2500, vanishes: true }],
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
            ...uneventful,
            kinds,
            pace: { source: [100], destination: [0] },
            userDeposits: [good(50, 'exact')],
            destinationDeposits: [good(50, 'exact')],
            service: { ...sluggish, down: [{ from: 0, until: wakesAt }], blind },
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
