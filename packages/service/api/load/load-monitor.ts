/** Measures how busy this process is, at the cost of ten timer events a second and of one comparison a request. */
import { performance } from 'node:perf_hooks'
import { isCalm, type Load, type LoadLevel, nextLevel } from './load-level.ts'

export interface LoadMonitor {
  level(): LoadLevel
  /** Counts a request that begins. Call what it returns once, when it has ended. */
  begin(): () => void
  read(): Load
  stop(): void
}

export type LoadMonitorOptions = {
  /** The level has changed. */
  readonly onChange?: (level: LoadLevel, load: Load) => void
  /** Monotonic. */
  readonly nowMs?: () => number
}

const TICK_MS = 100
/** How far back the average looks. One slow moment is no load. */
const MEMORY_MS = 1000

export function startLoadMonitor({ onChange, nowMs = () => performance.now() }: LoadMonitorOptions = {}): LoadMonitor {
  let average = 0
  let tickedAtMs = nowMs()
  let inFlight = 0
  let level: LoadLevel = 0

  const lateAt = (atMs: number) => Math.max(0, atMs - tickedAtMs - TICK_MS)

  /** The average as of now. A tick that is due and has not come counts: many requests may be answered before it. */
  function delayAt(atMs: number): number {
    return average + (lateAt(atMs) - average) * (1 - Math.exp(-(atMs - tickedAtMs) / MEMORY_MS))
  }

  const read = (): Load => ({ delayMs: delayAt(nowMs()), inFlight })

  function judge(): LoadLevel {
    // The average as of now is not above both of these: most requests need no more.
    if (level === 0 && isCalm({ delayMs: Math.max(average, lateAt(nowMs())), inFlight })) return 0
    const load = read()
    const next = nextLevel(level, load)
    if (next !== level) {
      level = next
      onChange?.(level, load)
    }
    return level
  }

  const timer = setInterval(() => {
    const atMs = nowMs()
    average = delayAt(atMs)
    tickedAtMs = atMs
    judge()
  }, TICK_MS).unref()

  return {
    level: judge,
    begin() {
      inFlight += 1
      return () => {
        inFlight -= 1
      }
    },
    read,
    stop: () => clearInterval(timer),
  }
}
