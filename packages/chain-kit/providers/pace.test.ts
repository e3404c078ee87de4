import { expect, test } from 'vitest'
import { createPace } from './http.ts'

/** A clock that a test moves, and the waits that were asked for. */
function simulateClock() {
  const clock = { ms: 0, waits: [] as number[] }
  const pace = createPace(10, new AbortController().signal, {
    nowMs: () => clock.ms,
    wait: async (ms) => {
      clock.waits.push(Math.round(ms))
    },
  })
  return { clock, pace }
}

test('an unused second allows its requests at once, then one follows the other', async () => {
  const { clock, pace } = simulateClock()
  for (let i = 0; i < 13; i++) await pace.turn()
  expect(clock.waits).toEqual([100, 200, 300])
  clock.ms = 10_000
  clock.waits = []
  for (let i = 0; i < 11; i++) await pace.turn()
  expect(clock.waits).toEqual([100])
})

test('an urgent request does not wait, and the next one waits for it', async () => {
  const { clock, pace } = simulateClock()
  for (let i = 0; i < 10; i++) await pace.turn()
  await pace.turn(true)
  expect(clock.waits).toEqual([])
  await pace.turn()
  expect(clock.waits).toEqual([200])
})

test('when half a minute of requests waits, the next is refused and does not make the queue longer', async () => {
  const { clock, pace } = simulateClock()
  for (let i = 0; i < 310; i++) expect(await pace.turn()).toBe(true)
  for (let i = 0; i < 3; i++) expect(await pace.turn()).toBe(false)
  clock.ms = 100
  expect(await pace.turn()).toBe(true)
  expect(await pace.turn(true)).toBe(true)
})
