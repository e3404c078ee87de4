/** Compares what the playbook wants for every open order with the outbox, and makes the outbox say the same. */
import { actionKey, type Role } from '../protocol/order.ts'
import { playbook } from '../protocol/playbook.ts'
import type { Registry } from '../protocol/registry/registry.ts'
import { deriveOrder, isClosed } from '../protocol/state.ts'
import { syncWanted, type WantedAction } from '../store/actions.ts'
import type { Database } from '../store/database.ts'
import { closeOrders, listOpenOrders } from '../store/orders.ts'
import { loadFacts } from './facts.ts'

export type Reconciled = { readonly newlyWanted: boolean }

export async function reconcile(db: Database, registry: Registry, role: Role, now: bigint): Promise<Reconciled> {
  const orders = await listOpenOrders(db)
  const states = (await loadFacts(db, registry, orders, now)).map(deriveOrder)
  const wanted = new Map<string, WantedAction>()
  for (const state of states) {
    for (const rule of playbook) {
      if (rule.who !== role || !rule.holds(state)) continue
      const action = { orderId: state.order.id, leg: rule.leg, verb: rule.verb }
      wanted.set(actionKey(action.orderId, action.leg, action.verb), action)
    }
  }
  const newlyWanted = await syncWanted(
    db,
    states.map((state) => state.order.id),
    [...wanted.values()],
  )
  const finished = states.filter((state) =>
    isClosed(state, {
      source: registry.chain(state.order.source.chain).finalityBlocks,
      destination: registry.chain(state.order.destination.chain).finalityBlocks,
    }),
  )
  await closeOrders(
    db,
    finished.map((state) => state.order.id),
  )
  return { newlyWanted }
}
