/** An order exists only for the service that made it: another service can neither see nor decide anything about it. */

import type { StoredOrder } from '@tandem/party/store/orders/orders.ts'
import { findOrderOfService } from '@tandem/party/store/solver/orders-of-service.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Caller } from './caller.ts'
import type { OrderContext } from './orders.ts'

/** Every call that names an order begins with this. */
export async function requireOwnOrder({ db }: Pick<OrderContext, 'db'>, id: string, { service }: Caller): Promise<StoredOrder> {
  const stored = await findOrderOfService(db, id, service)
  if (stored === null) throw new TandemError('not_found', `there is no order ${id}`)
  return stored
}
