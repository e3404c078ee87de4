/** Tests how the age of the oldest waiting work is measured. */
import { beforeEach, expect, test } from 'vitest'
import { createWaits, type Waits } from './waits.ts'

let nowMs: number
let waits: Waits
beforeEach(() => {
  nowMs = 1000
  waits = createWaits(() => nowMs)
})

test('nothing waits at first', () => {
  expect([waits.currentMs(), waits.maxMs()]).toEqual([0, 0])
})

test('the oldest work counts, until a pass takes all', () => {
  waits.begin()
  nowMs += 300
  waits.begin()
  nowMs += 200
  expect(waits.maxMs()).toBe(500)
  waits.end(500, null)
  expect(waits.currentMs()).toBe(0)
})

test('what a pass leaves goes on waiting', () => {
  waits.begin()
  nowMs += 900
  waits.end(900, 400)
  nowMs += 100
  expect(waits.currentMs()).toBe(500)
})

test('a pass that fails ends no wait', () => {
  waits.begin()
  nowMs += 5000
  waits.begin()
  expect(waits.maxMs()).toBe(5000)
})

test('a wait that is over is remembered for two seconds', () => {
  waits.end(700, null)
  nowMs += 1999
  expect(waits.maxMs()).toBe(700)
  nowMs += 1
  expect(waits.maxMs()).toBe(0)
})
