/** Orders as rows of a list: what each waits for, and whether it is stuck. */
import { factsOf, isServed } from '@tandem/party/engine/facts.ts'
import { type ListedInProgress, listInProgress } from '@tandem/party/store/operator-view/in-progress.ts'
import { readActions } from '@tandem/party/store/operator-view/order-history.ts'
import { findOrderSnapshots } from '@tandem/party/store/orders/orders.ts'
import { formatUsd } from '@tandem/protocol/amount.ts'
import { deriveOrder } from '@tandem/protocol/state.ts'
import type { OrderRowRecord } from '@tandem/protocol/wire/operator.ts'
import { createTtlCache } from '@tandem/runtime/ttl-cache.ts'
import type { ServiceContext } from '../context.ts'
import { waitsFor, whyStuck } from './explain.ts'

type RowContext = Pick<ServiceContext, 'db' | 'registry' | 'now'>

/** In the order of `listed`. Orders of chains that are no longer served cannot be derived, and are left out. */
export async function describeRows(context: RowContext, listed: readonly ListedInProgress[]): Promise<readonly OrderRowRecord[]> {
  const { db, registry, now } = context
  const ids = listed.map(({ orderId }) => orderId)
  const [snapshots, actions] = await Promise.all([findOrderSnapshots(db, ids), readActions(db, ids)])
  const byId = new Map(snapshots.map((snapshot) => [snapshot.stored.order.id, snapshot]))
  return listed.flatMap(({ orderId, usdMicros, since }): OrderRowRecord[] => {
    const snapshot = byId.get(orderId)
    if (snapshot === undefined || !isServed(registry, snapshot.stored)) return []
    const { order, app, createdAt } = snapshot.stored
    const state = deriveOrder(factsOf(registry, snapshot, now()))
    const chains = { source: registry.chain(order.source.chain), destination: registry.chain(order.destination.chain) }
    return [
      {
        order_id: orderId,
        status: state.status,
        app: app ?? '',
        solver_id: order.solverId,
        from: order.source.terms.asset,
        to: order.destination.terms.asset,
        volume_usd: formatUsd(usdMicros),
        created_at: createdAt.toISOString(),
        since: since.toISOString(),
        waits_for: waitsFor(state, snapshot.refusals),
        stuck: whyStuck({
          state,
          chains,
          actions: actions.get(orderId) ?? [],
          since: BigInt(Math.floor(since.getTime() / 1000)),
          now: now(),
        }),
      },
    ]
  })
}

/** The oldest are the ones that may be stuck. */
export const MOST_ROWS = 300
const KEEP_MS = 2_000

/** The oldest orders in progress. However many look, they are read once in two seconds. */
export function createInProgressReader(context: RowContext): () => Promise<readonly OrderRowRecord[]> {
  const kept = createTtlCache<readonly OrderRowRecord[]>({ keepMs: KEEP_MS, maxEntries: 1 })
  return () => kept.get('', async () => describeRows(context, await listInProgress(context.db, MOST_ROWS)))
}
