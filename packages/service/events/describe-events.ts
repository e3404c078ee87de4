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
  write(event: OrderEvent, app: string): Frame | null
  /** This frame is for a client that has seen no event of the order. */
  writeCurrent(orderId: string, id: bigint, app: string): Frame | null
}

export function createEventWriter(context: DescribeContext, log: Logger): EventWriter {
  const snapshots = new Map<string, OrderSnapshot | null>()
  const described = new Map<string, Described | null>()
  /** These are the frames of the last written event. All streams share them, so a thousand slow readers hold one text. */
  let [written, frames]: [OrderEvent | null, Map<Described, Frame>] = [null, new Map()]

  function describe(orderId: string, app: string): Described | null {
    const snapshot = snapshots.get(orderId) ?? null
    if (snapshot === null) return null
    // An order has two forms: one for its own app and one for all others.
    const key = `${orderId} ${snapshot.stored.app === app}`
    const known = described.get(key)
    if (known !== undefined) return known
    const fresh = describeNow(snapshot, app)
    described.set(key, fresh)
    return fresh
  }

  function describeNow(snapshot: OrderSnapshot, app: string): Described | null {
    try {
      const record = describeOrder(context, { name: app }, snapshot)
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
    write(event, app) {
      const { id, orderId, status, at } = event
      const order = describe(orderId, app)
      if (order === null) return null
      if (written !== event) [written, frames] = [event, new Map()]
      const known = frames.get(order)
      if (known !== undefined) return known
      const made = frame(id, { order_id: orderId, status, at: at.toISOString() }, order)
      frames.set(order, made)
      return made
    },
    writeCurrent(orderId, id, app) {
      const order = describe(orderId, app)
      const at = new Date(Number(context.now()) * 1000).toISOString()
      return order === null ? null : frame(id, { order_id: orderId, status: order.status, at }, order)
    },
  }
}
