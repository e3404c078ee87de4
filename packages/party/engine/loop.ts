/** Repeats one piece of work: at an interval, at once when woken, never twice at the same time. */
import { performance as eventLoop } from 'node:perf_hooks'

export interface Loop {
  /** Run again now; during a run, right after it. */
  wake(): void
  /** Resolves when the run in progress has ended. */
  stop(): Promise<void>
}

/** A swap has some four steps that wait for a loop: a longer rest would be felt. */
const LONGEST_REST_MS = 150

/** Begins to measure; the function that it returns tells for which part of the time since then this process was busy, from 0 to 1. */
export type MeasureBusy = () => () => number

const measureBusyLoop: MeasureBusy = () => {
  const before = eventLoop.eventLoopUtilization()
  return () => eventLoop.eventLoopUtilization(before).utilization
}

/** The rest, in parts of the run's time: 1 if the process was busy half of the time. It grows with the load as the wait in a queue does. */
const restFor = (busy: number) => busy / Math.max(1 - busy, 0.01)

export function createLoop(options: {
  /** Resolves true when there is more to do right away. */
  readonly run: () => Promise<boolean>
  /** Asked after each run. */
  readonly intervalMs: number | (() => number)
  /**
   * The least time between the starts of two runs, unless there is more to do: however often it is woken, one run serves all. After a run it rests, the
   * longer the less idle time the process had: on a busy machine fewer runs serve more each; an idle one rests hardly at all.
   */
  readonly restMs?: number
  readonly measureBusy?: MeasureBusy
  readonly onError: (error: unknown) => void
}): Loop {
  const { restMs: leastMs = 0, measureBusy = measureBusyLoop } = options
  let stopped = false
  let woken = false
  let endSleep: (() => void) | null = null
  let endRest: (() => void) | null = null

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
  const rest = (ms: number) =>
    wait(ms, (end) => {
      endRest = end
    })

  const running = (async () => {
    // Measured from the end of one run to the end of the next. During the run alone, even a process that is idle otherwise looks busy.
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
      const wantedMs = leastMs === 0 ? 0 : Math.max(leastMs, runMs + Math.min(runMs * restFor(busy()), LONGEST_REST_MS))
      busy = measureBusy()
      if (!stopped && !more && !woken) await sleep()
      const restMs = beganAtMs + wantedMs - performance.now()
      if (!stopped && !more && restMs > 0) await rest(restMs)
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
      endRest?.()
      await running
    },
  }
}
