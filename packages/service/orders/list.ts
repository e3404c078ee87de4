/** The route GET /orders returns the orders that match an app's filters, each derived as GET /orders/{id} does. */

import type { App } from '@tandem/party/store/apps/apps.ts'
import { type Asker, searchOrders } from '@tandem/party/store/order-list/order-search.ts'
import { findOrderSnapshots } from '@tandem/party/store/orders/orders.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { OrderStatus } from '@tandem/protocol/state.ts'
import type { OrderList, OrderListQuery } from '@tandem/protocol/wire/order-list.ts'
import type { ServiceContext } from '../context.ts'
import { parseAddresses, parseChains, parseList, parseSecretHashes, parseStatuses, parseTransactions } from './filters.ts'
import { describeOrder, noteShown } from './view.ts'

/** A slice takes some 5 ms, so that other requests are served in between. */
export const SLICE = 25

let last: Promise<void> = Promise.resolve()

const DEFAULT_PER_PAGE = 10

/** A solver that signed the request sees its orders of all apps; an app sees its own. */
export async function listOrders(context: ServiceContext, app: App, solver: string | null, query: OrderListQuery): Promise<OrderList> {
  const statuses = parseStatuses(query.status)
  if (solver === null) return listMatching(context, { kind: 'app', name: app.name }, query, statuses)
  if (query.solver_id !== solver)
    throw new TandemError('forbidden', `the signature is that of solver "${solver}", who sees its own orders: ask with solver_id=${solver}`)
  return listMatching(context, { kind: 'all' }, query, statuses)
}

export async function listMatching(
  context: ServiceContext,
  asker: Asker,
  query: Omit<OrderListQuery, 'status'>,
  statuses: readonly OrderStatus[] | null,
): Promise<OrderList> {
  const { page = 1, per_page = DEFAULT_PER_PAGE } = query
  const { total, orderIds } = await searchOrders(
    context.db,
    {
      asker,
      apps: parseList('integrator', query.integrator),
      statuses,
      fromChains: parseChains(context.registry, 'from_chain', query.from_chain),
      toChains: parseChains(context.registry, 'to_chain', query.to_chain),
      solverIds: parseList('solver_id', query.solver_id),
      chains: context.registry.chains.map(({ id }) => id),
      addresses: parseAddresses(context.clients, 'address', query.address),
      fromOwners: parseAddresses(context.clients, 'from_owner', query.from_owner),
      toOwners: parseAddresses(context.clients, 'to_owner', query.to_owner),
      secretHashes: parseSecretHashes('secret_hash', query.secret_hash),
      txs: parseTransactions(context.clients, 'tx_hash', query.tx_hash),
    },
    { offset: (page - 1) * per_page, limit: per_page },
  )
  const data = await inSlices(
    orderIds,
    async (ids) => Promise.all((await findOrderSnapshots(context.db, ids)).map((snapshot) => noteShown(context, snapshot))),
    (snapshot) => describeOrder(context, snapshot),
  )
  return {
    data,
    page,
    total_pages: Math.ceil(total / per_page),
    total_items: total,
    per_page,
  }
}

/** All lists of the process queue here: each tick of the event loop serves one slice of one list. */
function nextTick(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)))
  return last
}

export async function inSlices<Item, Read, Described>(
  items: readonly Item[],
  read: (slice: readonly Item[]) => Promise<readonly Read[]>,
  describe: (one: Read) => Described,
): Promise<Described[]> {
  const described: Described[] = []
  for (let start = 0; start < items.length; start += SLICE) {
    const found = await read(items.slice(start, start + SLICE))
    await nextTick()
    for (const one of found) described.push(describe(one))
  }
  return described
}
