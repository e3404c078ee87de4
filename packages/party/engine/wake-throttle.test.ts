/** Tests how many wake-ups pass the throttle. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWakeThrottle } from './wake-throttle.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function open() {
  let woken = 0
  const throttle = createWakeThrottle(1000, () => {
    woken += 1
  })
  const wake = (times: number) => {
    const before = woken
    for (let n = 0; n < times; n += 1) throttle.wake()
    return woken - before
  }
  const pass = (ms: number) => {
    const before = woken
    vi.advanceTimersByTime(ms)
    return woken - before
  }
  return { throttle, wake, pass }
}

test('a burst passes at once, then one wake-up in each interval, and a burst again after a pause', () => {
  const { throttle, wake, pass } = open()
  expect(wake(100)).toBe(8)
  expect(pass(999)).toBe(0)
  expect(wake(100)).toBe(0)
  pass(1)
  expect(wake(100)).toBe(1)
  let later = 0
  for (let ms = 0; ms < 60_000; ms += 10) {
    pass(10)
    later += wake(5)
  }
  expect(later).toBe(60)
  pass(3_600_000)
  expect(wake(100)).toBe(8)
  for (let times = 0; times < 3; times += 1) throttle.giveBack()
  expect(wake(100)).toBe(3)
  for (let times = 0; times < 20; times += 1) throttle.giveBack()
  expect(wake(100)).toBe(8)
})

test('of several wake-ups that come too early, one follows after an interval, unless the throttle is stopped', () => {
  const { throttle, wake, pass } = open()
  wake(100)
  expect(pass(999)).toBe(0)
  expect(pass(1)).toBe(1)
  expect(pass(60_000)).toBe(0)
  wake(100)
  expect(pass(60_000)).toBe(1)
  wake(100)
  throttle.stop()
  expect(pass(60_000)).toBe(0)
})
