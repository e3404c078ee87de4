/**
 * Computes a number that follows from what is on record about an order. It is stored when the order is derived: if the record has another
 * number later, the order must be derived again. It is computed here from what was read, and by the database from its rows.
 */
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import { MAX_EVENTS_READ } from '../chain/considered-events.ts'
import type { OrderSnapshot } from './order-rows.ts'

/** The mark is an expression and not a function because it is evaluated for many orders at once. */
export const factsMarkOf = (id: string) => `((
    select coalesce(sum(found.mark * case leg when 'source' then 31 else 1 end), 0)
    from swaps cross join lateral (
      select case when count(*) > ${MAX_EVENTS_READ} then -1 else coalesce(sum(1 + coalesce(block_height, 0)), 0) end as mark
      from (
        select block_height from events where events.chain = swaps.chain and events.swap_id = swaps.swap_id limit ${MAX_EVENTS_READ + 1}
      ) as few
    ) as found
    where swaps.order_id = ${id}
  ) * 512
  + case when exists (select from prefunds where prefunds.order_id = ${id} and amount > 0) then 256 else 0 end
  + (select least(count(*), 7) from grants where grants.order_id = ${id}) * 32
  + coalesce((select case when signature is null then 8 else 16 end from fills where fills.order_id = ${id}), 0)
  + (
    select case when declined is null then 0 else 4 end + case when secret_signed_at is null then 0 else 2 end
      + case when seen_secret is null then 0 else 1 end
    from orders where orders.id = ${id}
  ))::bigint`

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
