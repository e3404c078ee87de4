/** Lists deposits that nobody refunds automatically, because their swap has too many: see `protocol/considered.ts`. */

import { MAX_MINED } from '@tandem/protocol/considered.ts'
import { MAX_COUNTED } from '@tandem/protocol/counting.ts'
import pg from 'pg'
import { bigintText, number, readAll, shape, text, type ValueOf } from '../database/columns.ts'

const ignoredDeposits = shape({ orderId: text, chain: text, deposits: number, amount: bigintText })
export type IgnoredDeposits = ValueOf<typeof ignoredDeposits>

/** Only mined, unspent deposits count, largest sum first. The whole index of deposits is read, so this may take seconds. */
export async function readIgnoredDeposits(url: string, limit: number, timeoutMs: number): Promise<readonly IgnoredDeposits[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs })
  // A dropped connection fails the query in progress, and that error is reported.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query(
      `with crowded as (
        select chain, swap_id from events where kind = 'initiated' and block_height is not null
        group by chain, swap_id having count(*) > $1
      ), ranked as (
        select events.*,
          row_number() over (partition by chain, swap_id order by amount desc, block_height, tx collate "C", index collate "C") as by_amount,
          row_number() over (partition by chain, swap_id order by block_height, tx collate "C", index collate "C") as by_age
        from events join crowded using (chain, swap_id) where kind = 'initiated' and block_height is not null
      )
      select swaps.order_id as "orderId", ranked.chain, count(*)::integer as deposits, sum(ranked.amount)::text as amount
      from ranked join swaps using (chain, swap_id) left join fills using (order_id)
      where by_amount > $1 and by_age > $2 and swaps.leg = 'source' and ranked.deposit <> all(coalesce(fills.deposits, '{}'))
        and not exists (
          select from events as spend
          where spend.chain = ranked.chain and spend.deposit = ranked.deposit and spend.kind <> 'initiated' and spend.block_height is not null
        )
      group by swaps.order_id, ranked.chain order by sum(ranked.amount) desc limit $3`,
      [MAX_MINED, MAX_COUNTED, limit],
    )
    return readAll('the database', ignoredDeposits, rows)
  } finally {
    await client.end()
  }
}
