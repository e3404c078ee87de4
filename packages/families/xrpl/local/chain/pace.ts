// Decides when ledgers close: one every second, and a few more on demand. Each must close later than its parent, so many would outrun the
// clock.
import { closeTimeOf, rippleTime } from '../ledger/close-time.ts'

export const LEDGER_MS = 1_000
/**
 * On demand the ledger's clock may run ahead by this many seconds, 5 of which are rounding. A burst of as many transactions is validated
 * immediately, later ones at one per second. The registry's bounds of the clock follow from it.
 */
const MAX_AHEAD = 60
/** An empty ledger waits while the clock is ahead by more than rounding does. */
const ROUNDING = 6
/** After a long idle time only this many ledgers are made: ten minutes. */
const MAX_DUE = 600

export interface LedgerPace {
  now(): number
  /** The times are those since the last call, oldest first. */
  takeDue(): readonly number[]
  /** A ledger may close at this time without having become due. */
  mayCloseOnDemand(parentCloseTime: number): boolean
  mayCloseEmpty(now: number, parentCloseTime: number): boolean
  restart(): void
  /** The clock moves to this time, if it is later. */
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
