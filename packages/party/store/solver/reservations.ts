/** Stores the inventory that is kept for single orders. */
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Database } from '../database/database.ts'
import { prepareWrite } from '../database/prepared.ts'

export type Reservation = { readonly orderId: string; readonly asset: AssetId; readonly amount: bigint }

const upsert = prepareWrite(
  'put-reservations',
  `with put as (
    insert into reservations (order_id, asset, amount) select * from unnest($1::text[], $2::text[], $3::numeric[])
    on conflict (order_id) do update set amount = excluded.amount returning order_id
  ), noted as (
    update order_risks set reserved = true from put where order_risks.order_id = put.order_id and not reserved
  )
  insert into inventory_marks (order_id) select order_id from put`,
)

/** The caller must hold the asset's lock, so that no amount is kept twice. Marked orders count before their deposits are recorded. */
export async function putReservations(db: Database, reservations: readonly Reservation[]): Promise<void> {
  if (reservations.length === 0) return
  await upsert(db, [
    reservations.map(({ orderId }) => orderId),
    reservations.map(({ asset }) => asset),
    reservations.map(({ amount }) => amount.toString()),
  ])
}

export async function deleteReservations(db: Database, orderIds: readonly string[]): Promise<void> {
  if (orderIds.length > 0) await db.deleteFrom('reservations').where('order_id', 'in', orderIds).execute()
}
