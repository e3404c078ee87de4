/** An order as the store takes it, without an app, fees or a client's own secret. */
import type { Order } from '../src/protocol/order.ts'
import type { NewOrder } from '../src/store/orders/insert-orders.ts'

export function plainOrder(order: Order, nonce: string): NewOrder {
  return {
    order,
    app: null,
    nonce,
    sourceOwner: 'from',
    destinationOwner: 'to',
    slippageBips: 0,
    affiliateFees: [],
    idempotencyKey: null,
    requestHash: '',
    tokenHash: null,
    clientSecret: false,
    assetPrices: { source: 0n, destination: 0n },
    worth: null,
  }
}
