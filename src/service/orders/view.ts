/** GET /orders/{id}: an order as the app that asks may see it. */
import { TandemError } from '../../protocol/error.ts'
import { type OrderRecord, orderToWire } from '../../protocol/wire/order.ts'
import type { App } from '../../store/apps.ts'
import { findOrder, type StoredOrder } from '../../store/orders.ts'
import type { ServiceContext } from '../context.ts'
import { loadOrderState } from './load-order-state.ts'
import { deriveNextAction } from './next-action.ts'

export async function viewOrder(context: ServiceContext, app: App, orderId: string): Promise<OrderRecord> {
  const { db, registry } = context
  const stored = await requireOrder(context, orderId)
  const state = await loadOrderState(db, registry, stored, context.now())
  return orderToWire({
    state,
    chains: { source: registry.chain(stored.order.source.chain), destination: registry.chain(stored.order.destination.chain) },
    assetPrices: stored.assetPrices,
    createdAt: stored.createdAt,
    nonce: stored.nonce,
    app: stored.app ?? '',
    affiliateFees: stored.affiliateFees,
    nextAction: deriveNextAction(state),
    showSecret: stored.app === app.name,
  })
}

export async function requireOrder({ db }: ServiceContext, orderId: string): Promise<StoredOrder> {
  const id = orderId.toLowerCase()
  const stored = /^[0-9a-f]{64}$/.test(id) ? await findOrder(db, id) : null
  if (stored === null) throw new TandemError('not_found', `there is no order "${orderId.slice(0, 64)}"`)
  return stored
}

/** An app id is no secret of its user, so only the app that made an order may change it. */
export function assertOwnOrder(stored: StoredOrder, app: App): void {
  if (stored.app !== app.name)
    throw new TandemError('forbidden', `order ${stored.order.id} was made by another app, which alone may change it`)
}
