import { expect, test } from 'vitest'
import { createWakeLimit } from './wake-limit.ts'

test('allows a burst, then one for each interval, and a burst again after a pause', () => {
  let now = 0
  const { allows, giveBack } = createWakeLimit(1000, () => now)
  const allowed = (times: number) => Array.from({ length: times }, allows).filter(Boolean).length
  expect(allowed(100)).toBe(8)
  now += 999
  expect(allowed(100)).toBe(0)
  now += 1
  expect(allowed(100)).toBe(1)
  let later = 0
  for (let ms = 0; ms < 60_000; ms += 10) {
    now += 10
    later += allowed(5)
  }
  expect(later).toBe(60)
  now += 3_600_000
  expect(allowed(100)).toBe(8)
  for (let times = 0; times < 3; times += 1) giveBack()
  expect(allowed(100)).toBe(3)
  for (let times = 0; times < 20; times += 1) giveBack()
  expect(allowed(100)).toBe(8)
})
