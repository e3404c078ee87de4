import { Writable } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLogger } from '../../log.ts'
import { createErrands, type Errand } from './solver-sync.ts'

const quiet = createLogger({ name: 'test', pretty: false, destination: new Writable({ write: (_chunk, _encoding, done) => done() }) })
let woken: number
let due: Errand[]
const start = () => {
  woken = 0
  due = []
  const wake = () => {
    woken += 1
  }
  return createErrands({ log: quiet, wake }, [() => due])
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('an errand runs once at a time, and again while it is due', async () => {
  const errands = start()
  let runs = 0
  let finish: () => void = () => undefined
  due = [
    {
      key: 'a',
      run: () => {
        runs += 1
        return new Promise((resolve) => {
          finish = () => resolve('done')
        })
      },
    },
  ]
  errands.attend([])
  errands.attend([])
  expect(runs).toBe(1)
  finish()
  await vi.advanceTimersByTimeAsync(0)
  errands.attend([])
  expect(runs).toBe(2)
  finish()
  await errands.stop()
})

test('what fails is tried again, later and later, and does not hold up others', async () => {
  const errands = start()
  const runs = { bad: 0, good: 0 }
  due = [
    {
      key: 'bad',
      async run() {
        runs.bad += 1
        throw new Error('no answer')
      },
    },
    {
      key: 'good',
      async run() {
        runs.good += 1
        return 'done'
      },
    },
  ]
  const attendFor = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      errands.attend([])
      await vi.advanceTimersByTimeAsync(1000)
    }
  }
  await attendFor(8)
  // After 1, 2 and 4 seconds.
  expect(runs).toEqual({ bad: 4, good: 8 })
  await attendFor(600)
  expect(runs.bad).toBeLessThan(20)
  expect(runs.good).toBe(608)
})

test('however many are due, each has its turn, and one kind does not hold up another', async () => {
  const runs = new Map<string, number>()
  const many = (kind: string, result: 'done' | 'soon') =>
    Array.from({ length: 50 }, (_, index) => ({
      key: `${kind} ${index}`,
      async run() {
        runs.set(`${kind} ${index}`, (runs.get(`${kind} ${index}`) ?? 0) + 1)
        return result
      },
    }))
  const [dust, fills] = [many('dust', 'done'), many('fill', 'soon')]
  const errands = createErrands({ log: quiet, wake: () => undefined }, [() => dust, () => fills])
  for (let pass = 0; pass < 10; pass++) {
    errands.attend([])
    await vi.advanceTimersByTimeAsync(1000)
  }
  expect(runs.size).toBe(100)
  expect(Math.min(...runs.values())).toBeGreaterThanOrEqual(3)
})

test('what may be worth it later is left alone for a while', async () => {
  const errands = start()
  let runs = 0
  due = [
    {
      key: 'a',
      async run() {
        runs += 1
        return 'later'
      },
    },
  ]
  for (let second = 0; second < 250; second++) {
    errands.attend([])
    await vi.advanceTimersByTimeAsync(1000)
  }
  expect(runs).toBe(1)
  await vi.advanceTimersByTimeAsync(60_000)
  errands.attend([])
  expect(runs).toBe(2)
})

test('what should be asked again soon wakes the engine by itself', async () => {
  const errands = start()
  due = [{ key: 'a', run: async () => 'soon' }]
  errands.attend([])
  await vi.advanceTimersByTimeAsync(0)
  expect(woken).toBe(0)
  await vi.advanceTimersByTimeAsync(1000)
  expect(woken).toBe(1)
})

test('stopping waits for what is under way and starts nothing new', async () => {
  const errands = start()
  let runs = 0
  let finish: () => void = () => undefined
  due = [
    {
      key: 'a',
      run: () => {
        runs += 1
        return new Promise((resolve) => {
          finish = () => resolve('done')
        })
      },
    },
  ]
  errands.attend([])
  let isStopped = false
  const stopping = errands.stop().then(() => {
    isStopped = true
  })
  await vi.advanceTimersByTimeAsync(0)
  expect(isStopped).toBe(false)
  finish()
  await stopping
  errands.attend([])
  expect(runs).toBe(1)
})
