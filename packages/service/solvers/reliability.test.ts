import { expect, test } from 'vitest'
import { conductAfter, NOTHING_SETTLED, reliability, UNBLEMISHED } from './reliability.ts'

const after = (answers: readonly boolean[], conduct = UNBLEMISHED) => answers.reduce(conductAfter, conduct)
const times = (count: number, isGood: boolean) => Array.from({ length: count }, () => isGood)

test('is the part of the settled orders that were completed; a few orders do not decide', () => {
  expect(reliability(NOTHING_SETTLED, UNBLEMISHED)).toBe(900_000)
  expect(reliability({ completed: 990, refunded: 0 }, UNBLEMISHED)).toBe(999_000)
  expect(reliability({ completed: 0, refunded: 1 }, UNBLEMISHED)).toBeGreaterThan(800_000)
  expect(reliability({ completed: 0, refunded: 990 }, UNBLEMISHED)).toBe(9_000)
})

test('failures lower it at once, and good answers raise it again', () => {
  const failed = after(times(5, false))
  expect(reliability(NOTHING_SETTLED, failed)).toBeLessThan(800_000)
  expect([after([false]), after([false, true])]).toEqual([968_750, 969_726])
  expect(after(times(200, true), failed)).toBeGreaterThan(990_000)
  expect(after(times(10_000, false))).toBe(0)
  expect(after(times(10_000, true))).toBeLessThanOrEqual(UNBLEMISHED)
})
