/** Repeats one piece of work: at an interval, at once when woken, never twice at the same time. */

export interface Loop {
  /** Run again now; during a run, right after it. */
  wake(): void
  /** Resolves when the run in progress has ended. */
  stop(): Promise<void>
}

/** After a slow run. One that takes longer waits for nodes, and not for the processor. */
const LONGEST_REST_MS = 60

const leastMs = (restMs: number, runMs: number) => (restMs === 0 ? 0 : Math.max(restMs, runMs + Math.min(runMs, LONGEST_REST_MS)))

export function createLoop(options: {
  /** Resolves true when there is more to do right away. */
  readonly run: () => Promise<boolean>
  /** Asked after each run. */
  readonly intervalMs: number | (() => number)
  /**
   * The least time between the starts of two runs, unless there is more to do: however often it is woken, one run serves all. Slow runs rest for as long
   * as they take: on a busy machine fewer of them serve more each, instead of keeping it busy.
   */
  readonly restMs?: number
  readonly onError: (error: unknown) => void
}): Loop {
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
    while (!stopped) {
      const beganAtMs = performance.now()
      woken = false
      let more = false
      try {
        more = await options.run()
      } catch (error) {
        options.onError(error)
      }
      const endedAtMs = performance.now()
      if (!stopped && !more && !woken) await sleep()
      const restMs = beganAtMs + leastMs(options.restMs ?? 0, endedAtMs - beganAtMs) - performance.now()
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
