/** Counts streams that were refused or cut, and logs the sums at an interval: strangers must not fill the log. */
import type { Logger } from '@tandem/runtime/log.ts'

export interface StreamTally {
  refused(): void
  cut(): void
  /** Logs what was counted, at most every ten seconds. */
  flush(): void
}

const LOG_INTERVAL_MS = 10_000

export function createStreamTally(log: Logger, nowMs: () => number = () => performance.now()): StreamTally {
  let [refused, cut] = [0, 0]
  let loggedAtMs = Number.NEGATIVE_INFINITY

  function flush(): void {
    if (refused + cut === 0 || nowMs() - loggedAtMs < LOG_INTERVAL_MS) return
    loggedAtMs = nowMs()
    log.warn({ refused, cut }, 'event streams refused at a limit, or cut: their reader is slow, or their network has the most at a limit')
    ;[refused, cut] = [0, 0]
  }

  return {
    refused() {
      refused += 1
      flush()
    },
    cut() {
      cut += 1
      flush()
    },
    flush,
  }
}
