/** Reads the orders of a solver in flight: they have reserved inventory and are not closed. */
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { bigint, boolean, nullable, shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { assetId } from '../database/domain-columns.ts'
import { prepare, prepareWrite } from '../database/prepared.ts'

export type InFlight = {
  readonly orderId: string
  readonly admitted: boolean
  /** The worth of the payment at the prices of the order. */
  readonly usdMicros: bigint
  readonly clientSecret: boolean
  readonly source: {
    readonly chain: ChainId
    readonly asset: AssetId
    readonly isSpent: boolean
    /** The newest block of the deposits that count; null if at least one has none. */
    readonly block: { readonly height: bigint; readonly ordinal: bigint | null } | null
  }
  readonly destination: {
    readonly chain: ChainId
    readonly asset: AssetId
    readonly amount: bigint
    readonly isPaid: boolean
    readonly isSpent: boolean
  }
}

const row = shape({
  order_id: text,
  admitted: boolean,
  usd_micros: bigint,
  client_secret: boolean,
  source_chain: text,
  source_asset: assetId,
  source_spent: boolean,
  height: nullable(bigint),
  ordinal: nullable(bigint),
  chain: text,
  asset: assetId,
  amount: bigint,
  paid: boolean,
  spent: boolean,
})

const mined = (swap: string, kinds: string) =>
  `exists (select from events where events.chain = ${swap}.chain and events.swap_id = ${swap}.swap_id and kind ${kinds} and block_height is not null)`

/** Anyone can send more deposits to some addresses, so once the solver has signed for some, only these count. */
const select = prepare(
  'select-in-flight',
  row,
  `select risks.order_id, admitted, usd_micros, client_secret, source.chain as source_chain, source.asset as source_asset,
    ${mined('source', "<> 'initiated'")} as source_spent, deposits.height, deposits.ordinal,
    destination.chain, destination.asset, reservations.amount,
    ${mined('destination', "= 'initiated'")} as paid, ${mined('destination', "<> 'initiated'")} as spent
  from order_risks as risks
    join reservations on reservations.order_id = risks.order_id
    join orders on orders.id = risks.order_id
    join swaps as source on source.order_id = risks.order_id and source.leg = 'source'
    join swaps as destination on destination.order_id = risks.order_id and destination.leg = 'destination'
    left join fills on fills.order_id = risks.order_id
    cross join lateral (
      select case when bool_and(block_height is not null) then max(block_height) end as height, max(block_ordinal) as ordinal
      from events where events.chain = source.chain and events.swap_id = source.swap_id and kind = 'initiated'
        and (fills.deposits is null or deposit = any (fills.deposits))
    ) as deposits
  where reserved and not closed`,
)

export async function readInFlight(db: Database): Promise<readonly InFlight[]> {
  return (await select(db, [])).map((row) => ({
    orderId: row.order_id,
    admitted: row.admitted,
    usdMicros: row.usd_micros,
    clientSecret: row.client_secret,
    source: {
      chain: row.source_chain,
      asset: row.source_asset,
      isSpent: row.source_spent,
      block: row.height === null ? null : { height: row.height, ordinal: row.ordinal },
    },
    destination: { chain: row.chain, asset: row.asset, amount: row.amount, isPaid: row.paid, isSpent: row.spent },
  }))
}

const update = prepareWrite('set-admitted', 'update order_risks set admitted = $2::boolean where order_id = any ($1::text[])')

export async function setAdmitted(db: Database, orderIds: readonly string[], admitted: boolean): Promise<void> {
  if (orderIds.length > 0) await update(db, [orderIds, admitted])
}
