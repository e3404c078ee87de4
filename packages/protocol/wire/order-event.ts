/** Each event of GET /orders/{id}/events and GET /events is the data of a Server-Sent Event, and of a webhook. */
import { type Static, Type } from 'typebox'
import { orderStatuses } from '../state.ts'
import { OrderRecord } from './order.ts'

export const OrderEventRecord = Type.Object(
  {
    order_id: Type.String({ description: 'The order.' }),
    status: Type.Enum([...orderStatuses], { description: 'What its status became.' }),
    at: Type.String({ description: 'When the service saw the change, as ISO 8601.' }),
    order: { ...OrderRecord, description: 'The order as GET /orders/{id} shows it when the event is sent: it may be ahead of `status`.' },
  },
  { description: 'One change of the status of an order.' },
)
export type OrderEventRecord = Static<typeof OrderEventRecord>
