/** The body of a webhook. */

import type { Database } from '@tandem/party/store/database/database.ts'
import { findOrderSnapshots } from '@tandem/party/store/orders/orders.ts'
import type { Delivery } from '@tandem/party/store/webhooks/deliveries.ts'
import type { OrderEventRecord } from '@tandem/protocol/wire/order-event.ts'
import type { DescribeContext } from '../events/describe-events.ts'
import { describeOrder } from '../orders/view.ts'

/** Nobody's app: a secret is never sent. */
const STRANGER = { name: '' }

export async function describeMessage(
  context: DescribeContext & { readonly db: Database },
  { orderId, status, at }: Pick<Delivery, 'orderId' | 'status' | 'at'>,
): Promise<string> {
  const [snapshot] = await findOrderSnapshots(context.db, [orderId])
  if (snapshot === undefined) throw new Error(`there is no order ${orderId}`)
  const data: OrderEventRecord = { order_id: orderId, status, at: at.toISOString(), order: describeOrder(context, STRANGER, snapshot) }
  return JSON.stringify({ type: 'order.status_changed', timestamp: at.toISOString(), data })
}
