/** The interface between the routes and the event streams of a process. */
import type { ServerResponse } from 'node:http'
import type { OrderSnapshot } from '@tandem/party/store/orders/orders.ts'

export type StreamRequest = {
  readonly app: string
  readonly address: string
  /** The client has seen all events up to this id. Null means that the client begins now. */
  readonly lastEventId: bigint | null
  /** Throws if there is no such order. Null means all orders of the app. */
  readonly readOrder: (() => Promise<OrderSnapshot>) | null
  readonly begin: () => ServerResponse
}

export interface EventStreams {
  readonly count: number
  /** It throws only before it calls `begin`. */
  open(request: StreamRequest): Promise<void>
  /** The caller calls this when the status of an order may have changed. */
  wake(): void
  /** The clients of the ended streams connect to another process. */
  close(): Promise<void>
}
