/** Repeats one piece of work: at an interval, at once when woken, never twice at the same time. */

export interface Loop {
  /** Run again now; during a run, right after it. */
  wake(): void
  /** Resolves when the run in progress has ended. */
  stop(): Promise<void>
}

export function createLoop(options: {
  /** Resolves true when there is more to do right away. */
  readonly run: () => Promise<boolean>
  /** Asked after each run. */
  readonly intervalMs: number | (() => number)
  readonly onError: (error: unknown) => void
}): Loop {
  let stopped = false
  let woken = false
  let wakeSleeper: (() => void) | null = null

  const sleep = () =>
    new Promise<void>((resolve) => {
      const { intervalMs } = options
      const timer = setTimeout(finish, typeof intervalMs === 'number' ? intervalMs : intervalMs())
      function finish() {
        clearTimeout(timer)
        wakeSleeper = null
        resolve()
      }
      wakeSleeper = finish
    })

  const running = (async () => {
    while (!stopped) {
      woken = false
      let more = false
      try {
        more = await options.run()
      } catch (error) {
        options.onError(error)
      }
      if (!stopped && !more && !woken) await sleep()
    }
  })()

  return {
    wake() {
      woken = true
      wakeSleeper?.()
    },
    async stop() {
      stopped = true
      wakeSleeper?.()
      await running
    },
  }
}
