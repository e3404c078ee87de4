/** Keeps the projection behind order lists equal to the derived state, and rebuilds it. */
import { orderWorth } from '@tandem/protocol/order-worth.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import { deriveOrder } from '@tandem/protocol/state.ts'
import { withLock } from '../store/actions/leases.ts'
import type { Database } from '../store/database/database.ts'
import { fillLedger } from '../store/ledger/ledger.ts'
import { foldOrderCounts, recountOrders } from '../store/order-list/order-counts.ts'
import {
  dropListedStrangers,
  expireListed,
  isListTrusted,
  type ListedOrder,
  listAppOrderIds,
  putListed,
  trustList,
} from '../store/order-list/order-list.ts'
import { findOrderSnapshots, type OrderSnapshot } from '../store/orders/orders.ts'
import { derivingAlone } from '../store/orders/touched-orders.ts'
import { factsOf } from './facts.ts'

const BATCH = 500

/** Expires orders without events. The reconciler writes the status of all other orders. */
export async function expireOrderList(db: Database, registry: Registry, now: bigint): Promise<void> {
  await expireListed(
    db,
    registry.chains.map(({ id }) => id),
    now,
  )
  await foldOrderCounts(db)
}

/** Rebuilds a list that was never built, or that another version of this code built. */
export async function repairOrderList(db: Database, registry: Registry, now: bigint, stopping: AbortSignal): Promise<void> {
  if (!(await isListTrusted(db))) await rebuildOrderList(db, registry, now, { stopping })
}

/** Derives every order again, in batches, while orders are created and change. Only one process rebuilds at a time. */
export async function rebuildOrderList(
  db: Database,
  registry: Registry,
  now: bigint,
  { stopping, onProgress }: { readonly stopping?: AbortSignal; readonly onProgress?: (orders: number) => void } = {},
): Promise<void> {
  await withLock(db, 'rebuild order list', async () => {
    let done = 0
    for (let after = ''; ; ) {
      if (stopping?.aborted === true) return
      const ids = await listAppOrderIds(db, after, BATCH)
      const last = ids.at(-1)
      if (last === undefined) break
      await derivingAlone(db, ids, async (tx) => {
        const snapshots = await findOrderSnapshots(tx, ids)
        await putListed(
          tx,
          snapshots.flatMap((snapshot) => listed(registry, snapshot, now)),
        )
      })
      after = last
      done += ids.length
      onProgress?.(done)
    }
    await dropListedStrangers(db)
    await fillLedger(db)
    await recountOrders(db)
    await trustList(db)
  })
}

/** An order whose chain or asset is not in this environment cannot be derived: its entry stays as it is. */
function listed(registry: Registry, snapshot: OrderSnapshot, now: bigint): readonly ListedOrder[] {
  const { order, assetPrices } = snapshot.stored
  const assetOf = (id: string) => registry.assets.find((asset) => asset.id === id)
  const [source, destination] = [assetOf(order.source.terms.asset), assetOf(order.destination.terms.asset)]
  if (source === undefined || destination === undefined) return []
  const { status } = deriveOrder(factsOf(registry, snapshot, now))
  return [{ orderId: order.id, status, worth: orderWorth(order, { source, destination }, assetPrices) }]
}
