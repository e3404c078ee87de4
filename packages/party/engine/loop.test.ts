/** Tests the loop of a stage: intervals, wake-ups, errors and stops. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createLoop, type MeasureBusy } from './loop.ts'

/** The interval is longer than any test, so only a wake can cause a second run. */
const NEVER_MS = 3_600_000

type Run = { readonly end: (more: boolean) => void; readonly fail: (error: unknown) => void }

function startLoop(intervalMs = NEVER_MS, cooldownMs = 0, busy = 0, measureBusy: MeasureBusy = () => () => busy) {
  const errors: unknown[] = []
  let runs = 0
  const waiting: ((run: Run) => void)[] = []
  const begun: Run[] = []
  const loop = createLoop({
    intervalMs,
    cooldownMs,
    measureBusy,
    run: () =>
      new Promise<boolean>((end, fail) => {
        runs += 1
        const run = { end, fail }
        const next = waiting.shift()
        if (next === undefined) begun.push(run)
        else next(run)
      }),
    onError: (error) => void errors.push(error),
  })
  const nextRun = (): Promise<Run> => {
    const run = begun.shift()
    return run === undefined ? new Promise((resolve) => void waiting.push(resolve)) : Promise.resolve(run)
  }
  return { loop, errors, nextRun, runs: () => runs }
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('a loop', () => {
  test('runs at once, and then waits', async () => {
    const { loop, nextRun, runs } = startLoop()
    ;(await nextRun()).end(false)
    await settle()
    expect(runs()).toBe(1)
    await loop.stop()
  })

  test('runs again after its interval', async () => {
    const { loop, nextRun } = startLoop(1)
    ;(await nextRun()).end(false)
    ;(await nextRun()).end(false)
    const third = await nextRun()
    const stopped = loop.stop()
    third.end(false)
    await stopped
  })

  test('goes on without waiting while there is more to do', async () => {
    const { loop, nextRun, runs } = startLoop()
    ;(await nextRun()).end(true)
    ;(await nextRun()).end(false)
    await settle()
    expect(runs()).toBe(2)
    await loop.stop()
  })

  test('is woken from its sleep', async () => {
    const { loop, nextRun } = startLoop()
    ;(await nextRun()).end(false)
    await settle()
    loop.wake()
    ;(await nextRun()).end(false)
    await loop.stop()
  })

  test('woken during a run, runs once more after it and never concurrently', async () => {
    const { loop, nextRun, runs } = startLoop()
    const first = await nextRun()
    loop.wake()
    loop.wake()
    await settle()
    expect(runs()).toBe(1)
    first.end(false)
    ;(await nextRun()).end(false)
    await settle()
    expect(runs()).toBe(2)
    await loop.stop()
  })

  test('reports an error and goes on', async () => {
    const { loop, nextRun, errors } = startLoop()
    const error = new Error('no')
    ;(await nextRun()).fail(error)
    await settle()
    expect(errors).toEqual([error])
    loop.wake()
    ;(await nextRun()).end(false)
    await loop.stop()
  })

  test('sleeps after an error: a dead node is not polled without pause', async () => {
    const { loop, nextRun, runs } = startLoop()
    ;(await nextRun()).fail(new Error('no'))
    await settle()
    expect(runs()).toBe(1)
    await loop.stop()
  })

  test('stopping waits for the run in progress, and nothing runs afterwards', async () => {
    const { loop, nextRun, runs } = startLoop()
    const run = await nextRun()
    let stopped = false
    const stopping = loop.stop().then(() => {
      stopped = true
    })
    await settle()
    expect(stopped).toBe(false)
    run.end(true)
    await stopping
    loop.wake()
    await settle()
    expect(runs()).toBe(1)
  })

  test('stopping wakes it from its sleep; stopping twice is safe', async () => {
    const { loop, nextRun } = startLoop()
    ;(await nextRun()).end(false)
    await settle()
    await loop.stop()
    await loop.stop()
  })
})

describe('a loop with a cooldown', () => {
  const COOLDOWN_MS = 30
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

  test('is woken at once when its last run began long ago', async () => {
    const { loop, nextRun, runs } = startLoop(NEVER_MS, COOLDOWN_MS)
    ;(await nextRun()).end(false)
    await pass(COOLDOWN_MS)
    loop.wake()
    await pass(0)
    expect(runs()).toBe(2)
    ;(await nextRun()).end(false)
    await loop.stop()
  })

  test('runs once for all who wake it within that time, during a run or after it', async () => {
    const { loop, nextRun, runs } = startLoop(NEVER_MS, COOLDOWN_MS)
    const first = await nextRun()
    loop.wake()
    await pass(10)
    first.end(false)
    loop.wake()
    await pass(COOLDOWN_MS - 11)
    loop.wake()
    expect(runs()).toBe(1)
    await pass(1)
    expect(runs()).toBe(2)
    ;(await nextRun()).end(false)
    await pass(NEVER_MS / 2)
    expect(runs()).toBe(2)
    await loop.stop()
  })

  test.each([
    [40, 0.5, 40],
    [40, 0.75, 120],
    [40, 1, 150],
    [500, 0.5, 150],
  ])(
    'after a run of %s ms with the process busy for %s of the time, it waits for %s ms, however often it is woken',
    async (runMs, busy, cooldownMs) => {
      const { loop, nextRun, runs } = startLoop(NEVER_MS, COOLDOWN_MS, busy)
      const first = await nextRun()
      await pass(runMs)
      first.end(false)
      loop.wake()
      await pass(cooldownMs - 1)
      loop.wake()
      expect(runs()).toBe(1)
      await pass(1)
      expect(runs()).toBe(2)
      ;(await nextRun()).end(false)
      await loop.stop()
    },
  )

  test('waits little after a busy run if the process was idle before', async () => {
    const sinceLastRun: MeasureBusy = () => {
      const begunAtMs = performance.now()
      return () => 40 / (performance.now() - begunAtMs)
    }
    const { loop, nextRun, runs } = startLoop(NEVER_MS, COOLDOWN_MS, 0, sinceLastRun)
    ;(await nextRun()).end(false)
    await pass(960)
    loop.wake()
    const second = await nextRun()
    await pass(40)
    second.end(false)
    loop.wake()
    await pass(2)
    expect(runs()).toBe(3)
    ;(await nextRun()).end(false)
    await loop.stop()
  })

  test('does not wait after a run that waited for a node', async () => {
    const { loop, nextRun, runs } = startLoop(NEVER_MS, COOLDOWN_MS)
    const first = await nextRun()
    await pass(500)
    loop.wake()
    first.end(false)
    await pass(0)
    expect(runs()).toBe(2)
    ;(await nextRun()).end(false)
    await loop.stop()
  })

  test('goes on at once while there is more to do', async () => {
    const { loop, nextRun, runs } = startLoop(NEVER_MS, COOLDOWN_MS)
    ;(await nextRun()).end(true)
    await pass(0)
    expect(runs()).toBe(2)
    ;(await nextRun()).end(false)
    await loop.stop()
  })

  test('is stopped while it waits', async () => {
    const { loop, nextRun, runs } = startLoop(NEVER_MS, COOLDOWN_MS)
    ;(await nextRun()).end(false)
    loop.wake()
    await pass(1)
    await loop.stop()
    expect(runs()).toBe(1)
  })
})
