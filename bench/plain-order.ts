/** An order as the store takes it, without an app, fees or a client's own secret. */

import type { NewOrder } from '@tandem/party/store/orders/insert-orders.ts'
import { createVault } from '@tandem/party/store/orders/sealed-values.ts'
import { sealSwaps } from '@tandem/party/store/orders/swap-seals.ts'
import { VAULT_KEY } from '@tandem/party/store/store.fixture.ts'
import type { Order } from '@tandem/protocol/order.ts'

/** That of all services of the benches. */
const vault = createVault(VAULT_KEY)

export function plainOrder(order: Order, nonce: string): NewOrder {
  const asked = { requestHash: '', tokenHash: null }
  return {
    order,
    app: null,
    nonce,
    sourceOwner: 'from',
    destinationOwner: 'to',
    slippageBips: 0,
    affiliateFees: [],
    idempotencyKey: null,
    ...asked,
    seals: sealSwaps(vault, { order, ...asked }),
    clientSecret: false,
    assetPrices: { source: 0n, destination: 0n },
    worth: null,
  }
}
