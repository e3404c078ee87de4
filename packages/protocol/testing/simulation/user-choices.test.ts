/** The user's choices in the model are to keep the secret and to take an instant refund. */
import { describe, expect, it } from 'vitest'
import { prompt, redeemed, uneventful } from './histories.fixture.ts'
import { playHistory } from './history.ts'
import { AMOUNT, MAX_LAG_SECONDS, START } from './model-order.ts'
import type { Plan, PlannedDeposit } from './plan.ts'

const deposit = (amount: PlannedDeposit['amount']): PlannedDeposit => ({ at: 50, amount, waits: 0, vanishes: false })

describe('a secret that the client keeps', () => {
  const secretPlan: Plan = { ...uneventful, userDeposits: [deposit('exact')] }

  it('completes the order once it is given in time', () => {
    for (const kinds of [uneventful.kinds, { source: 'seconds', destination: 'blocks' }] as const) {
      const done = playHistory({ ...secretPlan, kinds, revealsAt: 60 })
      expect([redeemed(done.source), redeemed(done.destination), done.secretShown]).toEqual([AMOUNT, AMOUNT, true])
    }
  })

  it('is never given: both legs are refunded', () => {
    const { source, destination, secretShown } = playHistory({ ...secretPlan, revealsAt: 9999 })
    expect([...source, ...destination].map((d) => [d.spend?.kind, d.spend?.by])).toEqual([
      ['refunded', 'service'],
      ['refunded', 'solver'],
    ])
    expect(secretShown).toBe(false)
  })
})

describe('an instant refund', () => {
  it('returns a deposit that the solver will not pay for, and none that it pays for', () => {
    const [half] = playHistory({ ...uneventful, takesBackAt: 60, userDeposits: [deposit('half')] }).source
    expect([half?.spend?.id, half?.spend?.block.time]).toEqual(['both refund user funds 0', START + 80n])
    const full = playHistory({ ...uneventful, takesBackAt: 110, userDeposits: [deposit('exact')] })
    expect([redeemed(full.source), redeemed(full.destination)]).toEqual([AMOUNT, AMOUNT])
  })
})

describe('the solver, against a user and a service who cheat together', () => {
  it('signs an instant refund or pays, never both', () => {
    let [signed, paid] = [0, 0]
    for (const destination of ['blocks', 'seconds'] as const) {
      for (let takesBackAt = 50; takesBackAt < 300; takesBackAt += 10) {
        const outcome = playHistory({
          ...uneventful,
          kinds: { source: 'blocks', destination },
          takesBackAt,
          userDeposits: [deposit('exact')],
          service: 'colludes with the user',
          userRedeems: { kind: 'timed', after: 40, shown: 0 },
          solver: { ...prompt, lagSeconds: MAX_LAG_SECONDS, polls: [true, false, false] },
        })
        const returned = outcome.source.some((d) => d.spend?.bothSigned === true)
        signed += returned ? 1 : 0
        paid += redeemed(outcome.destination) > 0n ? 1 : 0
        expect([returned, redeemed(outcome.destination) > 0n]).not.toEqual([true, true])
        expect(redeemed(outcome.source)).toBe(redeemed(outcome.destination))
      }
    }
    expect(Math.min(signed, paid)).toBeGreaterThan(5)
  })
})
