/** Reads the open orders and earnings of a solver by pair, for its operator. */
import { bigintText, number, shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'

export type PairStatus = {
  readonly pair: string
  /** Open orders are funded and have not ended. */
  readonly openOrders: number
  readonly openUsdMicros: bigint
  readonly completed: number
  readonly failed: number
  /** The sum of amount times price over completed orders, in 10^-8 dollars times the smallest unit of the asset. */
  readonly taken: bigint
  readonly paid: bigint
}

const selectPairs = prepare(
  'select-pair-status',
  shape({
    pair: text,
    openOrders: number,
    openUsdMicros: bigintText,
    completed: number,
    failed: number,
    taken: bigintText,
    paid: bigintText,
  }),
  `select pair, count(*) filter (where outcome is null and reservations.order_id is not null)::integer as "openOrders",
    coalesce(sum(usd_micros) filter (where outcome is null and reservations.order_id is not null), 0)::text as "openUsdMicros",
    count(*) filter (where outcome = 'completed')::integer as completed,
    count(*) filter (where outcome in ('withheld', 'failed'))::integer as failed,
    coalesce(sum(source.amount * source.asset_price) filter (where outcome = 'completed'), 0)::text as taken,
    coalesce(sum(destination.amount * destination.asset_price) filter (where outcome = 'completed'), 0)::text as paid
  from order_risks
    join swaps as source on source.order_id = order_risks.order_id and source.leg = 'source'
    join swaps as destination on destination.order_id = order_risks.order_id and destination.leg = 'destination'
    left join reservations on reservations.order_id = order_risks.order_id
  where created_at > $1 group by pair order by pair`,
)

export async function readPairStatus(db: Database, since: bigint): Promise<readonly PairStatus[]> {
  return selectPairs(db, [since.toString()])
}
