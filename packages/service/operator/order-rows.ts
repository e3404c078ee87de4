/** Rows of a list say what each order waits for, and whether it is stuck. */
import { factsOf, isServed } from '@tandem/party/engine/facts.ts'
import { findListed, type ListedInProgress, listInProgress } from '@tandem/party/store/operator-view/in-progress.ts'
import { readActions } from '@tandem/party/store/operator-view/order-history.ts'
import { type FoundOrders, type OrderFilter, searchOrders } from '@tandem/party/store/order-list/order-search.ts'
import { findOrderSnapshots } from '@tandem/party/store/orders/orders.ts'
import { formatUsd } from '@tandem/protocol/amount.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { deriveOrder } from '@tandem/protocol/state.ts'
import type { OrderRowRecord, SearchRecord } from '@tandem/protocol/wire/operator.ts'
import { createTtlCache } from '@tandem/runtime/ttl-cache.ts'
import type { ServiceContext } from '../context.ts'
import { parseAddresses, parseTransactions } from '../orders/filters.ts'
import { waitsFor, whyStuck } from './explain.ts'

type RowContext = Pick<ServiceContext, 'db' | 'registry' | 'now'>

/** The result has the order of `listed`. Orders of chains that are not served cannot be derived and are left out. */
async function describeRows(context: RowContext, listed: readonly ListedInProgress[]): Promise<readonly OrderRowRecord[]> {
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

export const MAX_ROWS = 300
const CACHE_MS = 2_000

/** The oldest orders in progress may be stuck. They are read once in two seconds for all callers. */
export function createInProgressReader(context: RowContext): () => Promise<readonly OrderRowRecord[]> {
  const kept = createTtlCache<readonly OrderRowRecord[]>({ keepMs: CACHE_MS, maxEntries: 1 })
  return () => kept.get('', async () => describeRows(context, await listInProgress(context.db, MAX_ROWS)))
}

const MAX_RESULTS = 25
const MAX_TEXT_LENGTH = 200

/** Each kind of search is one query of an index. */
export async function searchForOperator(context: ServiceContext, text: string): Promise<SearchRecord> {
  const asked = text.trim()
  if (asked === '' || asked.length > MAX_TEXT_LENGTH || asked.includes(','))
    throw new TandemError('bad_request', 'q: expected the id of an order, an address, a transaction or a secret hash')
  const { total, orderIds } = await find(context, asked)
  return { total, orders: await describeRows(context, await findListed(context.db, orderIds)) }
}

async function find(context: ServiceContext, asked: string): Promise<FoundOrders> {
  const hash = /^(0x)?([0-9a-f]{64})$/.exec(asked.toLowerCase())?.[2]
  if (hash !== undefined) {
    const [byId] = await findListed(context.db, [hash])
    if (byId !== undefined) return { total: 1, orderIds: [byId.orderId] }
  }
  const ways: Partial<OrderFilter>[] = [
    { addresses: parseAddresses(context.clients, 'q', asked) },
    { txs: parseTransactions(context.clients, 'q', asked) },
    ...(hash === undefined ? [] : [{ secretHashes: [hash] }]),
  ]
  for (const way of ways) {
    const found = await searchOrders(context.db, { ...everything(context), ...way }, { offset: 0, limit: MAX_RESULTS })
    if (found.total > 0) return found
  }
  return { total: 0, orderIds: [] }
}

function everything({ registry }: ServiceContext): OrderFilter {
  return {
    asker: { kind: 'all' },
    apps: null,
    statuses: null,
    fromChains: null,
    toChains: null,
    solverIds: null,
    addresses: null,
    chains: registry.chains.map(({ id }) => id),
    fromOwners: null,
    toOwners: null,
    secretHashes: null,
    txs: null,
  }
}
