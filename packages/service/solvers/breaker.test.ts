/** Tests when a solver that fails is no longer asked, and when it is asked again. */
import { beforeEach, expect, test } from 'vitest'
import { type Breaker, createBreaker } from './breaker.ts'
import { conductAfter, NOTHING_SETTLED, PERFECT, reliability } from './member.ts'

let now = 0
let breaker: Breaker
beforeEach(() => {
  now = 1_000
  breaker = createBreaker({ failuresToOpen: 3, minBackoffMs: 100, maxBackoffMs: 300, trialMs: 50 }, () => now)
})
const fail = (times: number) => Array.from({ length: times }, () => breaker.fail())

test('opens after failures in a row, not after failures between successes', () => {
  fail(2)
  breaker.succeed()
  fail(2)
  expect(breaker.state()).toBe('closed')
  fail(1)
  expect(breaker.state()).toBe('open')
  expect(breaker.remainingMs()).toBe(100)
})

test('calls that were under way when it opened do not prolong it', () => {
  fail(20)
  expect(breaker.remainingMs()).toBe(100)
})

test('half-opens by itself: one trial at a time, and a success closes it', () => {
  fail(3)
  now += 100
  expect(breaker.state()).toBe('trial due')
  breaker.begin()
  expect(breaker.state()).toBe('on trial')
  breaker.succeed()
  expect(breaker.state()).toBe('closed')
  fail(2)
  expect(breaker.state()).toBe('closed')
})

test('a failed trial opens it again, each time for longer, up to a limit', () => {
  fail(3)
  const pauses = [1, 2, 3].map(() => {
    now += breaker.remainingMs()
    breaker.begin()
    breaker.fail()
    return breaker.remainingMs()
  })
  expect(pauses).toEqual([200, 300, 300])
})

test('a trial without an outcome ends after a time limit', () => {
  fail(3)
  now += 100
  breaker.begin()
  now += 50
  expect(breaker.state()).toBe('trial due')
})

test('one success does not make up for all earlier openings: the next pause is as long as the last', () => {
  fail(3)
  now += 100
  breaker.begin()
  breaker.fail()
  now += 200
  breaker.succeed()
  fail(3)
  expect(breaker.remainingMs()).toBe(200)
})

test('a trial that failed is over at once, however long it might have taken', () => {
  breaker = createBreaker({ failuresToOpen: 1, minBackoffMs: 100, maxBackoffMs: 300, trialMs: 5_000 }, () => now)
  fail(1)
  now += 100
  breaker.begin()
  breaker.fail()
  now += 200
  expect(breaker.state()).toBe('trial due')
})

const after = (answers: readonly boolean[], conduct = PERFECT) => answers.reduce(conductAfter, conduct)
const times = (count: number, isGood: boolean) => Array.from({ length: count }, () => isGood)

test('is the part of the settled orders that were completed; a few orders do not decide', () => {
  expect(reliability(NOTHING_SETTLED, PERFECT)).toBe(900_000)
  expect(reliability({ completed: 990, refunded: 0 }, PERFECT)).toBe(999_000)
  expect(reliability({ completed: 0, refunded: 1 }, PERFECT)).toBeGreaterThan(800_000)
  expect(reliability({ completed: 0, refunded: 990 }, PERFECT)).toBe(9_000)
})

test('failures lower it at once, and good answers raise it again', () => {
  const failed = after(times(5, false))
  expect(reliability(NOTHING_SETTLED, failed)).toBeLessThan(800_000)
  expect([after([false]), after([false, true])]).toEqual([968_750, 969_726])
  expect(after(times(200, true), failed)).toBeGreaterThan(990_000)
  expect(after(times(10_000, false))).toBe(0)
  expect(after(times(10_000, true))).toBeLessThanOrEqual(PERFECT)
})
