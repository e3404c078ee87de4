// When ledgers close: one every second, and more on demand, but not many: each must close later than its parent, so they would outrun the clock.
import { closeTimeOf, rippleTime } from '../ledger/close-time.ts'

export const LEDGER_MS = 1_000
/**
 * On demand the ledger's clock may run ahead by so many seconds, 5 of which are rounding: a burst of so many transactions is validated at once, then one
 * a second. The registry's bounds of the clock follow from it.
 */
const MAX_AHEAD = 60
/** An empty ledger waits while the clock is ahead by more than rounding does. */
const ROUNDING = 6
/** After a long pause only so many ledgers are made: ten minutes. */
const MAX_DUE = 600

export interface LedgerPace {
  /** Seconds of the ledger's epoch. */
  now(): number
  /** The times at which ledgers became due since the last call, oldest first. */
  takeDue(): readonly number[]
  /** Whether a ledger may close at this time without having become due. */
  mayCloseOnDemand(parentCloseTime: number): boolean
  mayCloseEmpty(now: number, parentCloseTime: number): boolean
  /** The next ledger is due a second from now. */
  restart(): void
  /** Moves the clock to this time, if it is later. */
  passTo(time: number): void
}

export function createLedgerPace(wallMs: () => number): LedgerPace {
  let aheadMs = 0
  const nowMs = () => wallMs() + aheadMs
  const now = () => rippleTime(nowMs())
  let dueMs = nowMs() + LEDGER_MS

  return {
    now,
    takeDue() {
      const count = Math.max(0, Math.floor((nowMs() - dueMs) / LEDGER_MS) + 1)
      const taken = Math.min(count, MAX_DUE)
      const first = dueMs + (count - taken) * LEDGER_MS
      dueMs += count * LEDGER_MS
      return Array.from({ length: taken }, (_, index) => rippleTime(first + index * LEDGER_MS))
    },
    mayCloseOnDemand: (parentCloseTime) => closeTimeOf(now(), parentCloseTime) <= now() + MAX_AHEAD,
    mayCloseEmpty: (time, parentCloseTime) => closeTimeOf(time, parentCloseTime) <= time + ROUNDING,
    restart() {
      dueMs = nowMs() + LEDGER_MS
    },
    passTo(time) {
      const ms = Math.max(0, (time - now()) * 1_000)
      aheadMs += ms
      dueMs += ms
    },
  }
}
