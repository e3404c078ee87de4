import { expect, test } from 'vitest'
import { type LoadLevel, nextLevel } from './load-level.ts'

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
