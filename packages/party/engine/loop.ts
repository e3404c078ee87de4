/** Repeats a piece of work at an interval and when woken, never twice at the same time. */
import { performance as eventLoop } from 'node:perf_hooks'
import { MAX_COOLDOWN_MS } from './times.ts'

export interface Loop {
  wake(): void
  stop(): Promise<void>
}

/** Starts a measurement. The returned function gives the fraction of the time since then in which this process was busy. */
export type MeasureBusy = () => () => number

const measureBusyLoop: MeasureBusy = () => {
  const before = eventLoop.eventLoopUtilization()
  return () => eventLoop.eventLoopUtilization(before).utilization
}

/** The cooldown as a multiple of the run's time. It grows with the load as the wait in a queue does. */
const cooldownFactor = (busy: number) => busy / Math.max(1 - busy, 0.01)

export function createLoop(options: {
  /** Resolves to true when there is more to do right away. */
  readonly run: () => Promise<boolean>
  /** A function is called after each run. */
  readonly intervalMs: number | (() => number)
  /**
   * The minimum time between the starts of two runs, unless there is more to do. The busier the process, the longer the cooldown: on a busy
   * machine fewer runs do more each, and on an idle one the cooldown is hardly longer than this minimum.
   */
  readonly cooldownMs?: number
  readonly measureBusy?: MeasureBusy
  readonly onError: (error: unknown) => void
}): Loop {
  const { cooldownMs: minCooldownMs = 0, measureBusy = measureBusyLoop } = options
  let stopped = false
  let woken = false
  let endSleep: (() => void) | null = null
  let endCooldown: (() => void) | null = null

  const wait = (ms: number, onBegin: (end: (() => void) | null) => void) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(finish, ms)
      function finish() {
        clearTimeout(timer)
        onBegin(null)
        resolve()
      }
      onBegin(finish)
    })
  const sleep = () =>
    wait(typeof options.intervalMs === 'number' ? options.intervalMs : options.intervalMs(), (end) => {
      endSleep = end
    })
  const coolDown = (ms: number) =>
    wait(ms, (end) => {
      endCooldown = end
    })

  const running = (async () => {
    // The measurement goes from the end of one run to the end of the next. During the run alone, even an otherwise idle process seems busy.
    let busy = measureBusy()
    while (!stopped) {
      const beganAtMs = performance.now()
      woken = false
      let more = false
      try {
        more = await options.run()
      } catch (error) {
        options.onError(error)
      }
      const runMs = performance.now() - beganAtMs
      const spacingMs = minCooldownMs === 0 ? 0 : Math.max(minCooldownMs, runMs + Math.min(runMs * cooldownFactor(busy()), MAX_COOLDOWN_MS))
      busy = measureBusy()
      if (!stopped && !more && !woken) await sleep()
      const leftMs = beganAtMs + spacingMs - performance.now()
      if (!stopped && !more && leftMs > 0) await coolDown(leftMs)
    }
  })()

  return {
    wake() {
      woken = true
      endSleep?.()
    },
    async stop() {
      stopped = true
      endSleep?.()
      endCooldown?.()
      await running
    },
  }
}

/** Repeats work that never has more to do right away. */
export function repeat(intervalMs: number, work: () => Promise<void>, onError: (error: unknown) => void): Loop {
  return createLoop({ intervalMs, run: () => work().then(() => false), onError })
}
