/** Tests that a greedy key delays no other key in the queue. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFairQueue } from './fair-queue.ts'

const SPACING_MS = 25

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function recorder() {
  const queue = createFairQueue<string>({ maxRunning: 2, spacingMs: SPACING_MS })
  const started: string[] = []
  const ends: (() => void)[] = []
  const ask = (key: string, name: string) =>
    queue.run(key, name, () => {
      started.push(name)
      return new Promise<void>((resolve) => ends.push(resolve))
    })
  const endOne = () => {
    ends.shift()?.()
    return pass(0)
  }
  return { ask, leave: queue.leave, started, endOne }
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test('two tasks run at once, and a key with one task waits for one task of a greedy key', async () => {
  const { ask, started, endOne } = recorder()
  for (let n = 0; n < 100; n++) void ask('greedy', `greedy ${n}`)
  for (const key of ['modest', 'other', 'third']) void ask(key, key)
  await pass(0)
  expect(started).toEqual(['greedy 0', 'modest'])
  await pass(SPACING_MS)
  expect(started).toHaveLength(2)
  for (let n = 0; n < 3; n++) await endOne()
  expect(started).toEqual(['greedy 0', 'modest', 'greedy 1', 'other', 'third'])
})

test('a greedy key gets one run in each spacing, also if no other key asks', async () => {
  const { ask, started, endOne } = recorder()
  for (let n = 0; n < 5; n++) void ask('greedy', `greedy ${n}`)
  await endOne()
  expect(started).toEqual(['greedy 0'])
  await pass(SPACING_MS - 1)
  expect(started).toEqual(['greedy 0'])
  await pass(1)
  expect(started).toEqual(['greedy 0', 'greedy 1'])
})

test('work that fails ends its run', async () => {
  const queue = createFairQueue<number>({ maxRunning: 1, spacingMs: SPACING_MS })
  const failing = Promise.allSettled([0, 1, 2].map((n) => queue.run('one', n, () => Promise.reject(new Error('failed')))))
  const after = queue.run('one', 3, async () => 'done')
  await pass(10 * SPACING_MS)
  expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(await after).toBe('done')
})

test('a task that is cancelled no longer counts: the next one runs, also that of another key', async () => {
  const { ask, leave, started, endOne } = recorder()
  void ask('greedy', 'running')
  const gone = Array.from({ length: 100 }, (_, n) => ask('greedy', `gone ${n}`))
  void ask('greedy', 'patient')
  for (let n = 0; n < 100; n++) leave('greedy', `gone ${n}`)
  expect(await Promise.all(gone)).toEqual(Array(100).fill(null))
  await pass(SPACING_MS)
  expect(started).toEqual(['running', 'patient'])
  void ask('modest', 'late')
  void ask('modest', 'later')
  leave('modest', 'late')
  await endOne()
  expect(started).toEqual(['running', 'patient', 'later'])
})

test('a task that runs already is not cancelled', async () => {
  const { ask, leave, started, endOne } = recorder()
  const running = ask('one', 'running')
  leave('one', 'running')
  await pass(0)
  expect(started).toEqual(['running'])
  await endOne()
  expect(await running).toBeUndefined()
})
