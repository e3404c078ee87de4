/** Tests how a process measures its load and who causes it. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createCallerCosts } from './caller-costs.ts'
import { type LoadLevel, type LoadMonitor, nextLevel, startLoadMonitor } from './load-monitor.ts'

const idle = { delayMs: 0, inFlight: 0 }

test('each measure alone raises the level at its limit', () => {
  expect(nextLevel(0, { ...idle, delayMs: 499 })).toBe(0)
  expect(nextLevel(0, { ...idle, delayMs: 500 })).toBe(1)
  expect(nextLevel(0, { ...idle, delayMs: 1500 })).toBe(2)
  expect(nextLevel(0, { ...idle, inFlight: 499 })).toBe(0)
  expect(nextLevel(0, { ...idle, inFlight: 500 })).toBe(1)
  expect(nextLevel(0, { ...idle, inFlight: 2000 })).toBe(2)
})

test('a level is left only at half of its limit, one after the other', () => {
  const levels: LoadLevel[] = []
  let level: LoadLevel = 0
  for (const delayMs of [1499, 1500, 800, 750, 749, 500, 250, 249, 400]) {
    level = nextLevel(level, { ...idle, delayMs })
    levels.push(level)
  }
  expect(levels).toEqual([1, 2, 2, 2, 1, 1, 1, 0, 0])
})

let now = 0
const costs = () => createCallerCosts(() => now)

test('a network that asks for far more than the others is heavy, whatever addresses it uses; the others are not', () => {
  const known = costs()
  for (let list = 0; list < 16; list += 1) known.add(`203.0.113.${list}`, 50)
  for (let user = 0; user < 3; user += 1) known.add(`192.0.${user}.1`, 10)
  expect(known.isHeavy('203.0.113.99')).toBe(true)
  expect(known.isHeavy('192.0.1.1')).toBe(false)
  expect(known.isHeavy('198.51.100.1')).toBe(false)
})

test('several such networks among many users are all heavy; among equals none is', () => {
  const known = costs()
  for (let heavy = 0; heavy < 3; heavy += 1) known.add(`10.0.${heavy}.1`, 1000)
  for (let user = 0; user < 100; user += 1) known.add(`10.1.${user}.1`, 5)
  for (let heavy = 0; heavy < 3; heavy += 1) expect(known.isHeavy(`10.0.${heavy}.1`)).toBe(true)
  const equals = costs()
  for (let user = 0; user < 100; user += 1) equals.add(`10.1.${user}.1`, 500)
  expect(equals.isHeavy('10.1.7.1')).toBe(false)
})

test('a network that is alone is not heavy, and neither is one that asks for little', () => {
  const known = costs()
  known.add('192.0.2.1', 10_000)
  expect(known.isHeavy('192.0.2.1')).toBe(false)
  const idle = costs()
  for (let user = 0; user < 100; user += 1) idle.add(`10.1.${user}.1`, 1)
  idle.add('192.0.2.1', 59)
  expect(idle.isHeavy('192.0.2.1')).toBe(false)
  idle.add('192.0.2.1', 1)
  expect(idle.isHeavy('192.0.2.1')).toBe(true)
})

test('a heavy network is forgotten after twenty seconds', () => {
  const known = costs()
  known.add('203.0.113.1', 1000)
  known.add('192.0.2.1', 1)
  now += 10_001
  known.add('192.0.2.1', 1)
  expect(known.isHeavy('203.0.113.1')).toBe(true)
  now += 10_001
  known.add('192.0.2.1', 1)
  expect(known.isHeavy('203.0.113.1')).toBe(false)
  known.add('203.0.113.1', 1000)
  now += 30_000
  expect(known.isHeavy('203.0.113.1')).toBe(false)
})

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

/** The event loop runs once in `ms`, for `forMs`. */
function runLoop(ms: number, forMs: number): void {
  for (const end = now + forMs; now < end; ) {
    now += ms
    vi.advanceTimersByTime(100)
  }
}

test('an event loop that is on time, or late for one moment, is no load', () => {
  runLoop(100, 5000)
  runLoop(600, 600)
  runLoop(100, 1000)
  expect(changes).toEqual([])
})

test('a loop that is late again and again raises the level, and lowers it when it has caught up', () => {
  runLoop(800, 5000)
  expect(monitor.level()).toBe(1)
  runLoop(2000, 10_000)
  expect(monitor.level()).toBe(2)
  runLoop(100, 3000)
  expect(monitor.level()).toBe(0)
  expect(changes).toEqual([1, 2, 1, 0])
})

test('a blocked event loop is detected before its timer fires', () => {
  runLoop(100, 1000)
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
