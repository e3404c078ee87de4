/** The state of one stored order is derived as far as the watcher has read the chains. */
import { loadFacts } from '@tandem/party/engine/facts.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import type { StoredOrder } from '@tandem/party/store/orders/orders.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import { deriveOrder, type OrderState } from '@tandem/protocol/state.ts'

export async function loadOrderState(db: Database, registry: Registry, stored: StoredOrder, now: bigint): Promise<OrderState> {
  const [facts] = await loadFacts(db, registry, [stored], now)
  if (facts === undefined) throw new Error(`no facts about order ${stored.order.id}`)
  return deriveOrder(facts)
}
