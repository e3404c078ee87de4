/** Computes `facts_mark` of the database from what was read: if both differ, the order must be derived again. */
import type { HtlcEvent } from '../../protocol/htlc.ts'
import type { Leg } from '../../protocol/order.ts'
import type { OrderSnapshot } from './order-rows.ts'

export function factsMark({ stored, events, unreadDeposits }: OrderSnapshot): bigint {
  const { grants, fill, declined, secretSigned, seenSecret, prefund } = stored
  const markOf = (leg: Leg) => (unreadDeposits[leg] > 0 ? -1n : eventsMark(events[leg]))
  const flags =
    (prefund > 0n ? 256 : 0) +
    Math.min(grants.length, 7) * 32 +
    (fill === null ? 0 : fill.signature === null ? 8 : 16) +
    (declined === null ? 0 : 4) +
    (secretSigned ? 2 : 0) +
    (seenSecret === null ? 0 : 1)
  return (markOf('source') * 31n + markOf('destination')) * 512n + BigInt(flags)
}

function eventsMark(events: readonly HtlcEvent[]): bigint {
  return events.reduce((sum, { block }) => sum + 1n + (block?.height ?? 0n), 0n)
}
