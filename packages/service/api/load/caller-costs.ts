/** Who has asked for how much lately, to know who causes the load. By network: one customer easily has many addresses. */
import { performance } from 'node:perf_hooks'
import { networkOf } from '../../caller-network.ts'

export interface CallerCosts {
  note(ip: string, cost: number): void
  /** Whether this one asks for far more than the others do. False while nobody else asks: then nobody is harmed. */
  isHeavy(ip: string): boolean
}

/** A caller is remembered for one to two of these. */
const WINDOW_MS = 10_000
/** More than a person with a page asks for. */
const HEAVY_FROM = 60
/** As many times the average of the others. */
const HEAVY_FACTOR = 4
/** Bounds the memory that strangers can make us use. Who comes then counts for nothing. */
const MOST_CALLERS = 20_000

export function createCallerCosts(nowMs: () => number = () => performance.now()): CallerCosts {
  let [current, previous] = [new Map<string, number>(), new Map<string, number>()]
  let [total, previousTotal] = [0, 0]
  let endsAtMs = nowMs() + WINDOW_MS

  function rotate(): void {
    const now = nowMs()
    if (now < endsAtMs) return
    const isOld = now >= endsAtMs + WINDOW_MS
    previous = isOld ? new Map() : current
    previousTotal = isOld ? 0 : total
    current = new Map()
    total = 0
    endsAtMs = now + WINDOW_MS
  }

  return {
    note(ip, cost) {
      rotate()
      const caller = networkOf(ip)
      const known = current.get(caller)
      if (known === undefined && current.size >= MOST_CALLERS) return
      current.set(caller, (known ?? 0) + cost)
      total += cost
    },
    isHeavy(ip) {
      rotate()
      const caller = networkOf(ip)
      const own = (current.get(caller) ?? 0) + (previous.get(caller) ?? 0)
      if (own < HEAVY_FROM) return false
      // Who asks all the time is in both windows. Others are not fewer than that.
      const others = Math.max(current.size - (current.has(caller) ? 1 : 0), previous.size - (previous.has(caller) ? 1 : 0))
      return own * others > HEAVY_FACTOR * (total + previousTotal - own)
    },
  }
}
