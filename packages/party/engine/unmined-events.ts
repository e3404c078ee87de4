/**
 * Decides which unmined events a poll records. A transaction leaves the mempool when it is mined, and its block may be newer than the
 * newest block of this poll. So an event that the mempool does not show any more stays until a later poll has read all blocks of that
 * moment. Otherwise a status would go back without a reorg.
 */
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'

export type UnminedEvents = {
  readonly events: readonly HtlcEvent[]
  /** The events that the mempool did not show any more when it was last read. */
  readonly missing: ReadonlySet<string>
}

export type Sighted = {
  readonly unconfirmed: readonly HtlcEvent[]
  readonly mined: readonly HtlcEvent[]
  /** This poll read every block that existed when it began. */
  readonly isComplete: boolean
}

export function keepUnmined(before: UnminedEvents, { unconfirmed, mined, isComplete }: Sighted): UnminedEvents {
  const minedKeys = new Set(mined.map(keyOf))
  const shown = unconfirmed.filter((event) => !minedKeys.has(keyOf(event)))
  const seen = new Set([...minedKeys, ...shown.map(keyOf)])
  const known = new Set(before.events.map(keyOf))
  const places = new Set([...mined, ...shown].filter((event) => !known.has(keyOf(event)) || event.block !== null).map(placeOf))
  const missing = before.events.filter((event) => {
    const key = keyOf(event)
    if (seen.has(key) || places.has(placeOf(event))) return false
    return !(isComplete && before.missing.has(key))
  })
  return { events: [...shown, ...missing], missing: new Set(missing.map(keyOf)) }
}

/** If the mempool could not be read, all events stay that this poll did not find in a block. */
export function keepAllUnmined(before: UnminedEvents, mined: readonly HtlcEvent[]): UnminedEvents {
  const minedKeys = new Set(mined.map(keyOf))
  const events = before.events.filter((event) => !minedKeys.has(keyOf(event)))
  return { events, missing: before.missing }
}

function keyOf({ tx, index }: HtlcEvent): string {
  return `${tx} ${index}`
}

/**
 * A new event at the same place replaces the old one: another transaction pays this swap the same amount, or spends this deposit. Another
 * amount is another deposit: dust must not hide a deposit that is just being mined.
 */
function placeOf(event: HtlcEvent): string {
  const { kind, swapId, deposit } = event
  return kind === 'initiated' ? `deposit ${swapId} ${event.amount}` : `spend ${swapId} ${deposit}`
}
