/** Events become text here. The record of an order and the text of an event are made once for all streams that get them. */

import type { OrderEvent } from '@tandem/party/store/events/order-events.ts'
import type { OrderSnapshot } from '@tandem/party/store/orders/orders.ts'
import type { OrderEventRecord } from '@tandem/protocol/wire/order-event.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import type { ServiceContext } from '../context.ts'
import { describeOrder } from '../orders/view.ts'
import type { Frame } from './event-stream.ts'

export type DescribeContext = Pick<ServiceContext, 'registry' | 'now'>

type Described = { readonly text: string; readonly status: OrderEvent['status'] }

export interface EventWriter {
  /** Returns true once the order was added, even if it was not found. */
  knows(orderId: string): boolean
  add(orderId: string, snapshot: OrderSnapshot | null): void
  write(event: OrderEvent): Frame | null
  /** This frame is for a client that has seen no event of the order. */
  writeCurrent(orderId: string, id: bigint): Frame | null
}

export function createEventWriter(context: DescribeContext, log: Logger): EventWriter {
  const snapshots = new Map<string, OrderSnapshot | null>()
  const described = new Map<string, Described | null>()
  /** This is the frame of the last written event. All streams share it, so a thousand slow readers hold one text. */
  let last: { readonly event: OrderEvent; readonly frame: Frame } | null = null

  function describe(orderId: string): Described | null {
    const snapshot = snapshots.get(orderId) ?? null
    if (snapshot === null) return null
    const known = described.get(orderId)
    if (known !== undefined) return known
    const fresh = describeNow(snapshot)
    described.set(orderId, fresh)
    return fresh
  }

  function describeNow(snapshot: OrderSnapshot): Described | null {
    try {
      const record = describeOrder(context, snapshot)
      return { text: JSON.stringify(record), status: record.status }
    } catch (error) {
      // An order that cannot be described must not block the events of all others.
      log.error({ order: snapshot.stored.order.id, err: error }, 'an order cannot be described: its event is not sent')
      return null
    }
  }

  function frame(id: bigint, head: Omit<OrderEventRecord, 'order'>, { text }: Described): Frame {
    return { id, text: `id: ${id}\ndata: ${JSON.stringify(head).slice(0, -1)},"order":${text}}\n\n` }
  }

  return {
    knows: (orderId) => snapshots.has(orderId),
    add(orderId, snapshot) {
      snapshots.set(orderId, snapshot)
    },
    write(event) {
      if (last?.event === event) return last.frame
      const { id, orderId, status, at } = event
      const order = describe(orderId)
      if (order === null) return null
      last = { event, frame: frame(id, { order_id: orderId, status, at: at.toISOString() }, order) }
      return last.frame
    },
    writeCurrent(orderId, id) {
      const order = describe(orderId)
      const at = new Date(Number(context.now()) * 1000).toISOString()
      return order === null ? null : frame(id, { order_id: orderId, status: order.status, at }, order)
    },
  }
}
