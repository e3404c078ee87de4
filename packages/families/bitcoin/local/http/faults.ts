// Switches the faults that tests can cause: dropped broadcasts, slow answers, an unreachable node.

export type Outage = 'none' | 'refused' | 'unavailable'

export type Faults = {
  /** The next `count` broadcasts are answered as accepted but never reach the mempool. */
  drop(count: number): void
  delay(ms: number): void
  setOutage(outage: Outage): Promise<void>
}

export type FaultState = Faults & {
  takeDrop(): boolean
  delayMs(): number
  outage(): Outage
  onOutage(listener: (outage: Outage) => Promise<void>): void
}

export function createFaultState(): FaultState {
  let drops = 0
  let delayMs = 0
  let outage: Outage = 'none'
  const listeners: ((outage: Outage) => Promise<void>)[] = []
  return {
    drop(count) {
      drops = count
    },
    delay(ms) {
      delayMs = ms
    },
    async setOutage(next) {
      outage = next
      await Promise.all(listeners.map((listener) => listener(next)))
    },
    takeDrop() {
      if (drops === 0) return false
      drops -= 1
      return true
    },
    delayMs: () => delayMs,
    outage: () => outage,
    onOutage: (listener) => listeners.push(listener),
  }
}
