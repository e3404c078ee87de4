/** Tests how tasks between service and solver are run, repeated and stopped. */
import { testLog } from '@tandem/runtime/test-log.fixture.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSolverSync, type SyncTask } from './solver-sync.ts'

const quiet = testLog()
let woken: number
let due: SyncTask[]
const start = () => {
  woken = 0
  due = []
  const wake = () => {
    woken += 1
  }
  return createSolverSync({ log: quiet, wake }, [() => due])
}

/** The task is due, and done when the test calls `finish`. */
function startable() {
  const task = { runs: 0, finish: (): void => undefined }
  const run: SyncTask['run'] = () => {
    task.runs += 1
    return new Promise((resolve) => {
      task.finish = () => resolve('done')
    })
  }
  due = [{ key: 'a', orderIds: ['order'], run }]
  return task
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('runs a task once at a time, and again while it is due', async () => {
  const sync = start()
  const task = startable()
  sync.startDueTasks([])
  sync.startDueTasks([])
  expect(task.runs).toBe(1)
  task.finish()
  await vi.advanceTimersByTimeAsync(0)
  sync.startDueTasks([])
  expect(task.runs).toBe(2)
  task.finish()
  await sync.stop()
})

test('retries a failed task with backoff, without blocking others', async () => {
  const sync = start()
  const runs = { bad: 0, good: 0 }
  due = [
    {
      key: 'bad',
      orderIds: ['order'],
      async run() {
        runs.bad += 1
        throw new Error('no answer')
      },
    },
    {
      key: 'good',
      orderIds: [],
      async run() {
        runs.good += 1
        return 'done'
      },
    },
  ]
  const reconcileFor = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      sync.startDueTasks([])
      await vi.advanceTimersByTimeAsync(1000)
    }
  }
  await reconcileFor(8)
  expect(runs).toEqual({ bad: 4, good: 8 })
  await reconcileFor(600)
  expect(runs.bad).toBeLessThan(20)
  expect(runs.good).toBe(608)
})

test('no task starves, and one kind does not block another', async () => {
  const runs = new Map<string, number>()
  const many = (kind: string, result: 'done' | 'soon') =>
    Array.from({ length: 50 }, (_, index) => ({
      key: `${kind} ${index}`,
      orderIds: [],
      async run() {
        runs.set(`${kind} ${index}`, (runs.get(`${kind} ${index}`) ?? 0) + 1)
        return result
      },
    }))
  const [dust, fills] = [many('dust', 'done'), many('fill', 'soon')]
  const sync = createSolverSync({ log: quiet, wake: () => undefined }, [() => dust, () => fills])
  for (let pass = 0; pass < 10; pass++) {
    sync.startDueTasks([])
    await vi.advanceTimersByTimeAsync(1000)
  }
  expect(runs.size).toBe(100)
  expect(Math.min(...runs.values())).toBeGreaterThanOrEqual(3)
})

test('a solver that does not answer keeps no task of another one waiting', async () => {
  const sync = start()
  const asked = new Map<string, number>()
  const ask = (solverId: string, order: number, answer: Promise<'done'>): SyncTask => ({
    key: `${solverId} ${order}`,
    solverId,
    orderIds: [`${order}`],
    run() {
      asked.set(solverId, (asked.get(solverId) ?? 0) + 1)
      return answer
    },
  })
  const never = new Promise<'done'>(() => undefined)
  const orders = Array.from({ length: 50 }, (_, order) => order)
  due = [...orders.map((order) => ask('silent', order, never)), ask('other', 0, Promise.resolve('done'))]
  for (let pass = 0; pass < 5; pass++) sync.startDueTasks([])
  expect(asked).toEqual(
    new Map([
      ['silent', 20],
      ['other', 1],
    ]),
  )
})

test('a stop waits for tasks, for two seconds at most', async () => {
  for (const answersAfterMs of [1_000, 3_600_000]) {
    const sync = start()
    due = [{ key: 'a', orderIds: ['order'], run: () => new Promise((resolve) => setTimeout(resolve, answersAfterMs, 'done')) }]
    sync.startDueTasks([])
    let isStopped = false
    const stopped = sync.stop().then(() => {
      isStopped = true
    })
    const endsAfterMs = Math.min(answersAfterMs, 2_000)
    await vi.advanceTimersByTimeAsync(endsAfterMs - 1)
    expect(isStopped).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await stopped
  }
})

test('pauses a task that returns "later" for five minutes', async () => {
  const sync = start()
  let runs = 0
  due = [
    {
      key: 'a',
      orderIds: ['order'],
      async run() {
        runs += 1
        return 'later'
      },
    },
  ]
  for (let second = 0; second < 250; second++) {
    sync.startDueTasks([])
    await vi.advanceTimersByTimeAsync(1000)
  }
  expect(runs).toBe(1)
  await vi.advanceTimersByTimeAsync(60_000)
  sync.startDueTasks([])
  expect(runs).toBe(2)
})

test('says when to derive an order with an unfinished task again', async () => {
  const sync = start()
  const now = Date.now()
  const again = () => [...sync.startDueTasks([])].map(([id, at]) => `${id} +${at - now}`)
  due = [
    { key: 'failing', orderIds: ['a', 'b'], run: () => Promise.reject(new Error('no answer')) },
    { key: 'planned', orderIds: ['b', 'c'], dueAtMs: now + 7_000, run: async () => 'done' },
  ]
  expect(again()).toEqual(['a +250', 'b +250', 'c +7000'])
  await vi.advanceTimersByTimeAsync(0)
  expect(again()).toEqual(['a +1000', 'b +1000', 'c +7000'])
  due = []
  expect(again()).toEqual([])
})

test('does not start a task before it is due', async () => {
  const sync = start()
  let runs = 0
  const run = async () => {
    runs += 1
    return 'done' as const
  }
  due = [{ key: 'a', orderIds: [], dueAtMs: Date.now() + 7_000, run }]
  sync.startDueTasks([])
  await vi.advanceTimersByTimeAsync(7_000)
  expect(runs).toBe(0)
  sync.startDueTasks([])
  expect(runs).toBe(1)
  await sync.stop()
})

test('wakes the engine after a task that returns "soon"', async () => {
  const sync = start()
  due = [{ key: 'a', orderIds: ['order'], run: async () => 'soon' }]
  sync.startDueTasks([])
  await vi.advanceTimersByTimeAsync(0)
  expect(woken).toBe(0)
  await vi.advanceTimersByTimeAsync(1000)
  expect(woken).toBe(1)
})

test('stopping waits for running tasks and starts no new ones', async () => {
  const sync = start()
  const task = startable()
  sync.startDueTasks([])
  let isStopped = false
  const stopping = sync.stop().then(() => {
    isStopped = true
  })
  await vi.advanceTimersByTimeAsync(0)
  expect(isStopped).toBe(false)
  task.finish()
  await stopping
  sync.startDueTasks([])
  expect(task.runs).toBe(1)
})
