/** Prepares the events of a poll for the database: each event once, and no flood of unconfirmed deposits. */
import { type Initiation, largest, MAX_UNCONFIRMED } from '@tandem/protocol/considered.ts'
import type { HtlcEvent, SwapId } from '@tandem/protocol/htlc.ts'

export type SeenEvents = {
  readonly mined: readonly HtlcEvent[]
  /** Recorded unconfirmed events that are not listed here are deleted. */
  readonly unconfirmed: readonly HtlcEvent[]
}

/** One statement cannot write a row twice, so mined events replace unconfirmed ones. */
export function eventRows({ mined, unconfirmed }: SeenEvents) {
  return [...new Map([...withoutFlood(unconfirmed), ...mined].map((event) => [keyOf(event), eventRow(event)])).values()]
}

/** The sequence matters: the first secret of an order counts. */
export function shownSecrets({ mined, unconfirmed }: SeenEvents) {
  return [...unconfirmed, ...mined].flatMap((event) =>
    event.kind === 'initiated' || event.secret === null ? [] : [{ swapId: event.swapId, secret: event.secret }],
  )
}

/** Unconfirmed deposits cost nothing to send, so for each swap only as many are recorded as are considered. */
function withoutFlood(events: readonly HtlcEvent[]): readonly HtlcEvent[] {
  if (events.length <= MAX_UNCONFIRMED) return events
  const deposits = new Map<SwapId, Initiation[]>()
  for (const event of events) {
    if (event.kind !== 'initiated') continue
    const others = deposits.get(event.swapId)
    if (others === undefined) deposits.set(event.swapId, [event])
    else others.push(event)
  }
  const floods = [...deposits.values()].filter(({ length }) => length > MAX_UNCONFIRMED)
  // Sorting makes every poll keep the same of equal deposits.
  const dropped = new Set<HtlcEvent>(
    floods.flatMap((flood) => {
      const kept = new Set(largest(flood.toSorted(byKey), MAX_UNCONFIRMED))
      return flood.filter((event) => !kept.has(event))
    }),
  )
  return events.filter((event) => !dropped.has(event))
}

function byKey(a: HtlcEvent, b: HtlcEvent): number {
  return keyOf(a) < keyOf(b) ? -1 : 1
}

function keyOf({ tx, index }: Pick<HtlcEvent, 'tx' | 'index'>): string {
  return `${tx} ${index}`
}

/** Big numbers are sent as text, because JSON numbers are floats. */
function eventRow(event: HtlcEvent) {
  const isInitiation = event.kind === 'initiated'
  return {
    tx: event.tx,
    index: event.index,
    swap_id: event.swapId,
    kind: event.kind,
    deposit: event.deposit,
    amount: (isInitiation ? event.amount : event.paid)?.toString() ?? null,
    secret: isInitiation ? null : event.secret,
    expires_at: isInitiation ? (event.expiresAt?.toString() ?? null) : null,
    block_height: event.block?.height.toString() ?? null,
    block_hash: event.block?.hash ?? null,
    block_time: event.block?.time.toString() ?? null,
    block_ordinal: event.block?.ordinal?.toString() ?? null,
  }
}
