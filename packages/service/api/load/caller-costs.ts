/** This counter finds the network that causes the load. It counts networks, because one customer easily has many addresses. */
import { performance } from 'node:perf_hooks'
import { networkOf } from '../../caller-network.ts'

export interface CallerCosts {
  add(ip: string, cost: number): void
  /** Returns true if this caller asks for far more than the others do. While nobody else asks, nobody is harmed, so it is false. */
  isHeavy(ip: string): boolean
}

/** A caller is remembered for one to two windows. */
const WINDOW_MS = 10_000
const MIN_HEAVY_COST = 60
/** A heavy caller asks for more than this multiple of the average of the others. */
const HEAVY_FACTOR = 4
/** This bounds the memory that strangers can make the process use. Callers beyond it are not counted. */
const MAX_CALLERS = 20_000

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
    add(ip, cost) {
      rotate()
      const caller = networkOf(ip)
      const known = current.get(caller)
      if (known === undefined && current.size >= MAX_CALLERS) return
      current.set(caller, (known ?? 0) + cost)
      total += cost
    },
    isHeavy(ip) {
      rotate()
      const caller = networkOf(ip)
      const own = (current.get(caller) ?? 0) + (previous.get(caller) ?? 0)
      if (own < MIN_HEAVY_COST) return false
      // A caller that asks all the time is in both windows, so the larger of the two counts is the number of others.
      const others = Math.max(current.size - (current.has(caller) ? 1 : 0), previous.size - (previous.has(caller) ? 1 : 0))
      return own * others > HEAVY_FACTOR * (total + previousTotal - own)
    },
  }
}
