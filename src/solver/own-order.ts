/** An order exists only for the service that made it: another service can neither see nor decide anything about it. */
import { TandemError } from '../protocol/error.ts'
import type { StoredOrder } from '../store/orders/orders.ts'
import { findOrderOfService } from '../store/solver/orders-of-service.ts'
import type { Caller } from './caller.ts'
import type { OrderContext } from './orders.ts'

/** Every call that names an order begins with this. */
export async function requireOwnOrder({ db }: Pick<OrderContext, 'db'>, id: string, { service }: Caller): Promise<StoredOrder> {
  const stored = await findOrderOfService(db, id, service)
  if (stored === null) throw new TandemError('not_found', `there is no order ${id}`)
  return stored
}
