import { beforeEach, expect, test } from 'vitest'
import { type Breaker, createBreaker } from './breaker.ts'

let now = 0
let breaker: Breaker
beforeEach(() => {
  now = 1_000
  breaker = createBreaker({ failuresToOpen: 3, firstPauseMs: 100, longestPauseMs: 300, trialMs: 50 }, () => now)
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

test('a trial without an outcome is over after a while', () => {
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
  breaker = createBreaker({ failuresToOpen: 1, firstPauseMs: 100, longestPauseMs: 300, trialMs: 5_000 }, () => now)
  fail(1)
  now += 100
  breaker.begin()
  breaker.fail()
  now += 200
  expect(breaker.state()).toBe('trial due')
})
