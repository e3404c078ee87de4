/** A status is shown only when it is on record: the trigger that writes its event runs in the same transaction. */
import { factsOf, isServed } from '@tandem/party/engine/facts.ts'
import { noteStatus } from '@tandem/party/store/order-list/order-list.ts'
import { findOrderSnapshots, type OrderSnapshot } from '@tandem/party/store/orders/orders.ts'
import { deriveOrder } from '@tandem/protocol/state.ts'
import type { ServiceContext } from '../context.ts'

/** An order that others write at each attempt is shown with the status that they wrote. */
const ATTEMPTS = 3

/**
 * Facts are recorded before an engine derives the order from them, and it may have left a status by then: who reads it in between puts that status on
 * record. With a database that cannot be written, the one on record is shown.
 */
export async function noteShown(
  context: Pick<ServiceContext, 'db' | 'registry' | 'now' | 'log'>,
  read: OrderSnapshot,
): Promise<OrderSnapshot> {
  const { db, registry, now, log } = context
  let snapshot = read
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const { listed: known, stored } = snapshot
    if (known === null || !isServed(registry, stored)) return snapshot
    const { status } = deriveOrder(factsOf(registry, snapshot, now()))
    if (status === known) return snapshot
    const orderId = stored.order.id
    try {
      if (await noteStatus(db, { orderId, known, status })) return { ...snapshot, listed: status }
    } catch (error) {
      log.warn({ order: orderId, err: error }, 'the status of an order could not be recorded: the last one on record is shown')
      return snapshot
    }
    const [again] = await findOrderSnapshots(db, [orderId])
    if (again === undefined) return snapshot
    snapshot = again
  }
  return snapshot
}
