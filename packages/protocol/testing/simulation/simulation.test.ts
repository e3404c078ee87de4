/** The two invariants over thousands of random histories: speeds, delays, pauses, stuck nodes, crashes, reorgs, and counterparties who cheat. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assertTimelocksSafe } from '../../timelock.ts'
import {
  check,
  conductOf,
  depositAt,
  good,
  kinds,
  LEAST,
  pace,
  pairs,
  prompt,
  redeemed,
  reorgs,
  revealsAt,
  seconds,
  startsLate,
  takesBackAt,
  total,
  undoes,
  uneventful,
  userDeposits,
} from './histories.fixture.ts'
import { playHistory } from './history.ts'
import type { Span } from './honest-party.ts'
import { AMOUNT, modelChains } from './model-order.ts'
import type { Plan } from './plan.ts'

describe('the model', () => {
  it('keeps safe timelocks for every pair', () => {
    for (const source of Object.values(modelChains)) {
      for (const destination of Object.values(modelChains)) assertTimelocksSafe(source, destination)
    }
  })

  it('completes when all parties are prompt, and refunds when the solver is absent', () => {
    for (const source of ['blocks', 'seconds'] as const) {
      for (const destination of ['blocks', 'seconds'] as const) {
        const plan: Plan = { ...uneventful, kinds: { source, destination }, userDeposits: [good(50, 'exact')] }
        const done = playHistory(plan)
        expect([redeemed(done.source), redeemed(done.destination), done.secretShown]).toEqual([AMOUNT, AMOUNT, true])
        const alone = playHistory({ ...plan, solver: { ...prompt, down: [{ from: 0, until: 9999 }] } })
        expect([total(alone.source, 'user', 'refunded'), alone.destination, alone.secretShown]).toEqual([AMOUNT, [], false])
      }
    }
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
    const crashing = { ...prompt, crashesAfterSigning: true }
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
          ...uneventful,
          kinds,
          userDeposits: [good(50, 'exact')],
          service: { ...crashing, down: serviceDown },
          solver: { ...crashing, down: [away] },
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
