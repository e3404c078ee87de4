/** Reads orders of a solver by the service that made them. */
import type { Database } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import { orderRow, parseOrder, type StoredOrder, selectOrders } from '../orders/order-rows.ts'

const selectOfService = prepare(
  'find-order-of-service',
  orderRow,
  selectOrders('join order_risks risk on risk.order_id = o.id where o.id = $1 and risk.service = $2'),
)

/** Returns null also if another service made the order. */
export async function findOrderOfService(db: Database, id: string, service: string): Promise<StoredOrder | null> {
  const [row] = await selectOfService(db, [id, service])
  return row === undefined ? null : parseOrder(row)
}
