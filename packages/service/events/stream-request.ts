/** What a route asks of the event streams of its process. */
import type { ServerResponse } from 'node:http'
import type { OrderSnapshot } from '@tandem/party/store/orders/orders.ts'

export type StreamRequest = {
  readonly app: string
  readonly address: string
  /** The client has seen events up to this one; null: it begins now. */
  readonly lastEventId: bigint | null
  /** Throws if there is no such order. Null: all orders of the app. */
  readonly readOrder: (() => Promise<OrderSnapshot>) | null
  /** Sends the head of the answer. */
  readonly begin: () => ServerResponse
}

export interface EventStreams {
  /** How many are open. */
  readonly count: number
  /** Throws before `begin` is called, or not at all. */
  open(request: StreamRequest): Promise<void>
  /** The status of an order may have changed. */
  wake(): void
  /** Ends all streams: their clients come back, to another process. */
  close(): Promise<void>
}
