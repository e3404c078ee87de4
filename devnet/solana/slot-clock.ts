// The relation of slots and time. Slots pass with the wall clock; a local chain may run a little ahead of it, never behind.

export const SLOT_MS = 400

export interface SlotClock {
  /** Unix milliseconds on the chain's clock. */
  now(): number
  /** The slot that the clock is in. */
  slot(): number
  /** When this slot starts, in unix milliseconds. */
  startOf(slot: number): number
  /** Moves the clock forward. */
  passSlots(slots: number): void
}

export function createSlotClock(startSlot: number): SlotClock {
  const startMs = Date.now()
  let aheadMs = 0
  const now = () => Date.now() + aheadMs
  return {
    now,
    slot: () => startSlot + Math.floor((now() - startMs) / SLOT_MS),
    startOf: (slot) => startMs + (slot - startSlot) * SLOT_MS,
    passSlots(slots) {
      aheadMs += slots * SLOT_MS
    },
  }
}
