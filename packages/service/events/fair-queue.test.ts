import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFairTurns } from './fair-turns.ts'

const REST_MS = 25

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Work that ends when it is told to. */
function recorder() {
  const turns = createFairTurns<string>({ most: 2, restMs: REST_MS })
  const started: string[] = []
  const ends: (() => void)[] = []
  const ask = (who: string, name: string) =>
    turns.take(who, name, () => {
      started.push(name)
      return new Promise<void>((resolve) => ends.push(resolve))
    })
  const endOne = () => {
    ends.shift()?.()
    return pass(0)
  }
  return { ask, leave: turns.leave, started, endOne }
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test('only so many run at once, and whoever asks once waits for one turn of those who ask for much', async () => {
  const { ask, started, endOne } = recorder()
  for (let n = 0; n < 100; n++) void ask('greedy', `greedy ${n}`)
  for (const who of ['modest', 'other', 'third']) void ask(who, who)
  await pass(0)
  expect(started).toEqual(['greedy 0', 'modest'])
  await pass(REST_MS)
  expect(started).toHaveLength(2)
  for (let n = 0; n < 3; n++) await endOne()
  expect(started).toEqual(['greedy 0', 'modest', 'greedy 1', 'other', 'third'])
})

test('one who asks for much gets a turn in each rest, also if nobody else asks', async () => {
  const { ask, started, endOne } = recorder()
  for (let n = 0; n < 5; n++) void ask('greedy', `greedy ${n}`)
  await endOne()
  expect(started).toEqual(['greedy 0'])
  await pass(REST_MS - 1)
  expect(started).toEqual(['greedy 0'])
  await pass(1)
  expect(started).toEqual(['greedy 0', 'greedy 1'])
})

test('work that fails ends its turn', async () => {
  const turns = createFairTurns<number>({ most: 1, restMs: REST_MS })
  const failing = Promise.allSettled([0, 1, 2].map((n) => turns.take('one', n, () => Promise.reject(new Error('failed')))))
  const after = turns.take('one', 3, async () => 'done')
  await pass(10 * REST_MS)
  expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(await after).toBe('done')
})

test('whoever leaves keeps no place: the turn is of the next one, also of another', async () => {
  const { ask, leave, started, endOne } = recorder()
  void ask('greedy', 'running')
  const gone = Array.from({ length: 100 }, (_, n) => ask('greedy', `gone ${n}`))
  void ask('greedy', 'patient')
  for (let n = 0; n < 100; n++) leave('greedy', `gone ${n}`)
  expect(await Promise.all(gone)).toEqual(Array(100).fill(null))
  await pass(REST_MS)
  expect(started).toEqual(['running', 'patient'])
  void ask('modest', 'late')
  void ask('modest', 'later')
  leave('modest', 'late')
  await endOne()
  expect(started).toEqual(['running', 'patient', 'later'])
})

test('one that has its turn is left to end it', async () => {
  const { ask, leave, started, endOne } = recorder()
  const running = ask('one', 'running')
  leave('one', 'running')
  await pass(0)
  expect(started).toEqual(['running'])
  await endOne()
  expect(await running).toBeUndefined()
})
