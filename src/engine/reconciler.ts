/** Keeps the wanted actions of every active order equal to the playbook. */
import { actionKey, type Role } from '../protocol/order.ts'
import { playbook } from '../protocol/playbook.ts'
import type { Registry } from '../protocol/registry/registry.ts'
import { deriveOrder, isClosed, LATE_DEPOSIT_WATCH_SECONDS, type OrderState } from '../protocol/state.ts'
import { syncWanted, type WantedAction } from '../store/actions/actions.ts'
import type { Database } from '../store/database/database.ts'
import { closeOrders, closeUnfundedOrders, listActiveOrders } from '../store/orders/orders.ts'
import { isServed, loadFacts } from './facts.ts'
import { syncOrderList } from './order-list.ts'

export type Reconciled = {
  readonly newlyWanted: boolean
  /** Of all active orders. */
  readonly states: readonly OrderState[]
}

const outliving = playbook.filter((rule) => rule.outlivesOrder).map((rule) => rule.verb)

export async function reconcile(db: Database, registry: Registry, role: Role, now: bigint): Promise<Reconciled> {
  await closeUnfundedOrders(db, LATE_DEPOSIT_WATCH_SECONDS, outliving)
  const orders = (await listActiveOrders(db)).filter((stored) => isServed(registry, stored))
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
  // A chain that is halted or unreachable may still show events: keep its orders open.
  const finished = states.filter((state) => state.chainsAlive && isClosed(state))
  await closeOrders(
    db,
    finished.map(({ order, source, destination }) => ({
      id: order.id,
      chains: [order.source.chain, order.destination.chain],
      deposits: source.deposits.length + destination.deposits.length,
    })),
    outliving,
  )
  // Last, because no money depends on it. A solver serves no lists.
  if (role === 'service') await syncOrderList(db, registry, states, now)
  return { newlyWanted, states }
}
