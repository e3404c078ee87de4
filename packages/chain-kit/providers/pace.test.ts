/** Tests the throttle of requests to a provider. */
import { expect, test } from 'vitest'
import { createPace } from './http.ts'

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

test('an unused second allows a burst of its requests, then one follows the other', async () => {
  const { clock, pace } = simulateClock()
  for (let i = 0; i < 13; i++) await pace.mayStart()
  expect(clock.waits).toEqual([100, 200, 300])
  clock.ms = 10_000
  clock.waits = []
  for (let i = 0; i < 11; i++) await pace.mayStart()
  expect(clock.waits).toEqual([100])
})

test('an urgent request does not wait, and the next one waits for it', async () => {
  const { clock, pace } = simulateClock()
  for (let i = 0; i < 10; i++) await pace.mayStart()
  await pace.mayStart(true)
  expect(clock.waits).toEqual([])
  await pace.mayStart()
  expect(clock.waits).toEqual([200])
})

test('when half a minute of requests waits, the next is refused and does not make the queue longer', async () => {
  const { clock, pace } = simulateClock()
  for (let i = 0; i < 310; i++) expect(await pace.mayStart()).toBe(true)
  for (let i = 0; i < 3; i++) expect(await pace.mayStart()).toBe(false)
  clock.ms = 100
  expect(await pace.mayStart()).toBe(true)
  expect(await pace.mayStart(true)).toBe(true)
})
