import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { LoadLevel } from './load-level.ts'
import { type LoadMonitor, startLoadMonitor } from './load-monitor.ts'

let now = 0
let changes: LoadLevel[] = []
let monitor: LoadMonitor
beforeEach(() => {
  vi.useFakeTimers()
  now = 0
  changes = []
  monitor = startLoadMonitor({ nowMs: () => now, onChange: (level) => changes.push(level) })
})
afterEach(() => {
  monitor.stop()
  vi.useRealTimers()
})

/** The loop turns every `ms`, for a while. */
function turn(ms: number, forMs: number): void {
  for (const end = now + forMs; now < end; ) {
    now += ms
    vi.advanceTimersByTime(100)
  }
}

test('a loop in time, or late for one moment, is no load', () => {
  turn(100, 5000)
  turn(600, 600)
  turn(100, 1000)
  expect(changes).toEqual([])
})

test('a loop that is late again and again raises the level, and lowers it when it has caught up', () => {
  turn(800, 5000)
  expect(monitor.level()).toBe(1)
  turn(2000, 10_000)
  expect(monitor.level()).toBe(2)
  turn(100, 3000)
  expect(monitor.level()).toBe(0)
  expect(changes).toEqual([1, 2, 1, 0])
})

test('a loop that stands still is seen before its timer comes', () => {
  turn(100, 1000)
  now += 3000
  expect(monitor.level()).toBe(2)
})

test('requests in progress count, and each ends once', () => {
  const ends = Array.from({ length: 500 }, () => monitor.begin())
  expect(monitor.level()).toBe(1)
  for (const end of ends.slice(0, 251)) end()
  expect(monitor.read().inFlight).toBe(249)
  expect(monitor.level()).toBe(0)
})
