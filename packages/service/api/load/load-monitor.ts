/** This monitor measures how busy the process is. It costs ten timer events a second and one comparison per request. */
import { performance } from 'node:perf_hooks'

export interface LoadMonitor {
  level(): LoadLevel
  /** Counts a request that begins. The caller calls the returned function once, when the request has ended. */
  begin(): () => void
  read(): Load
  stop(): void
}

export type LoadMonitorOptions = {
  readonly onChange?: (level: LoadLevel, load: Load) => void
  /** The clock must be monotonic. */
  readonly nowMs?: () => number
}

const TICK_MS = 100
/** The average has this time constant, because one slow moment is no load. */
const AVERAGE_MS = 1000

export function startLoadMonitor({ onChange, nowMs = () => performance.now() }: LoadMonitorOptions = {}): LoadMonitor {
  let average = 0
  let tickedAtMs = nowMs()
  let inFlight = 0
  let level: LoadLevel = 0

  const lateAt = (atMs: number) => Math.max(0, atMs - tickedAtMs - TICK_MS)

  /** A late tick counts before it comes, because many requests may be answered until then. */
  function delayAt(atMs: number): number {
    return average + (lateAt(atMs) - average) * (1 - Math.exp(-(atMs - tickedAtMs) / AVERAGE_MS))
  }

  const read = (): Load => ({ delayMs: delayAt(nowMs()), inFlight })

  function judge(): LoadLevel {
    // The average now is never above the larger of these two, so this cheap test decides for most requests.
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

/** Level 0 serves everything. Level 1 refuses lists, streams and pages, and the networks that cause the load. Level 2 serves only requests about an existing order. */
export type LoadLevel = 0 | 1 | 2

export type Load = {
  /** The delay of the event loop, averaged over about a second. */
  readonly delayMs: number
  readonly inFlight: number
}

/** A redeem must not wait behind quotes for a second. The counts bound the requests that wait for the database before it. */
const LIMITS = {
  1: { delayMs: 500, inFlight: 500 },
  2: { delayMs: 1500, inFlight: 2000 },
} as const

/** A level ends at this share of its limit. Without the difference it would come and go with every request. */
const END_SHARE = 0.5

function isCalm({ delayMs, inFlight }: Load): boolean {
  return delayMs < LIMITS[1].delayMs && inFlight < LIMITS[1].inFlight
}

export function nextLevel(current: LoadLevel, { delayMs, inFlight }: Load): LoadLevel {
  const isReached = (level: 1 | 2) => {
    const share = current >= level ? END_SHARE : 1
    return delayMs >= LIMITS[level].delayMs * share || inFlight >= LIMITS[level].inFlight * share
  }
  if (isReached(2)) return 2
  return isReached(1) ? 1 : 0
}
