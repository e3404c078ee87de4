/** Reads the facts that the pay checks need, in one statement for all checks of all orders that are about to be paid. */
import type { Leg } from '@tandem/protocol/order.ts'
import { bigintText, boolean, fields, listOf, listOrNull, nullable, shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import { sharePerDatabase } from '../database/share-statements.ts'
import { HALTS, type Halt, halt } from './halts.ts'

/** All facts are of one moment after the request. */
export type PayFacts = {
  readonly halts: readonly Halt[]
  readonly reserved: bigint | null
  /** The agreed amount follows from these prices; null if there is no such order. */
  readonly assetPrices: Readonly<Record<Leg, bigint>> | null
  /** See `solver/risk/admissions.ts`. */
  readonly admitted: boolean
}

const order = fields({
  id: text,
  reserved: nullable(bigintText),
  source: nullable(bigintText),
  destination: nullable(bigintText),
  admitted: nullable(boolean),
})

const select = prepare(
  'pay-facts',
  shape({ halts: listOrNull(halt), orders: listOf(order) }),
  `select ${HALTS} as halts, (
    select json_agg(json_build_array(
      id, (select amount::text from reservations where order_id = id),
      (select asset_price::text from swaps where order_id = id and leg = 'source'),
      (select asset_price::text from swaps where order_id = id and leg = 'destination'),
      (select admitted from order_risks where order_id = id)))
    from unnest($1::text[]) as id
  ) as orders`,
)

const readShared = sharePerDatabase<string, PayFacts>(async (db, ids) => {
  const [row] = await select(db, [[...new Set(ids)]])
  const halts = row?.halts ?? []
  const byId = new Map((row?.orders ?? []).map((order) => [order.id, order]))
  return ids.map((id) => {
    const { reserved = null, source = null, destination = null, admitted = null } = byId.get(id) ?? {}
    const assetPrices = source === null || destination === null ? null : { source, destination }
    return { halts, reserved, assetPrices, admitted: admitted === true }
  })
})

export function readPayFacts(db: Database, orderId: string): Promise<PayFacts> {
  return readShared(db, orderId)
}
