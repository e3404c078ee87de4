/** What a solver has open and has earned, by pair, for its operator. */
import type { Database } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'

export type PairStatus = {
  readonly pair: string
  /** Funded, and not ended. */
  readonly openOrders: number
  readonly openUsdMicros: bigint
  readonly completed: number
  readonly failed: number
  /** Amount times price, of completed orders: in 10^-8 dollars times the smallest unit of the asset. */
  readonly taken: bigint
  readonly paid: bigint
}

const selectPairs = prepare<{
  readonly pair: string
  readonly open_orders: number
  readonly open_usd: string
  readonly completed: number
  readonly failed: number
  readonly taken: string
  readonly paid: string
}>(
  'select-pair-status',
  `select pair, count(*) filter (where outcome is null and reservations.order_id is not null)::integer as open_orders,
    coalesce(sum(usd_micros) filter (where outcome is null and reservations.order_id is not null), 0)::text as open_usd,
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

/** Of the orders made since then. */
export async function readPairStatus(db: Database, since: bigint): Promise<readonly PairStatus[]> {
  const rows = await selectPairs(db, [since.toString()])
  return rows.map((row) => ({
    pair: row.pair,
    openOrders: row.open_orders,
    openUsdMicros: BigInt(row.open_usd),
    completed: row.completed,
    failed: row.failed,
    taken: BigInt(row.taken),
    paid: BigInt(row.paid),
  }))
}
