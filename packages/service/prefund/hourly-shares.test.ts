/** The shares of an hour: however the others behave, each name has its own. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createHourlyShares } from './hourly-shares.ts'

const HOUR_MS = 3_600_000

test('a name gets its share of every hour and no more, whatever others take', () => {
  const step = fc.record({
    name: fc.constantFrom('shop', 'wallet', 'stranger'),
    waitMs: fc.constantFrom(0, 1, 60_000, HOUR_MS - 1, HOUR_MS),
  })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 60 }), (share, steps) => {
      let now = 0
      const shares = createHourlyShares(share, () => now)
      const taken: { readonly name: string; readonly at: number }[] = []
      for (const { name, waitMs } of steps) {
        now += waitMs
        const recent = taken.filter((one) => one.name === name && now - one.at < HOUR_MS)
        expect(shares.take(name)).toBe(recent.length < share)
        if (recent.length < share) taken.push({ name, at: now })
      }
    }),
  )
})
