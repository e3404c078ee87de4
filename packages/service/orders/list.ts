/** GET /orders: the orders that match an app's filters, each derived as GET /orders/{id} does. */

import type { App } from '@tandem/party/store/apps/apps.ts'
import { searchOrders } from '@tandem/party/store/order-list/order-search.ts'
import { findOrderSnapshots } from '@tandem/party/store/orders/orders.ts'
import type { OrderList, OrderListQuery } from '@tandem/protocol/wire/order-list.ts'
import type { ServiceContext } from '../context.ts'
import { parseAddresses, parseChains, parseList, parseSecretHashes, parseStatuses, parseTransactions } from './filters.ts'
import { inSlices } from './list-turns.ts'
import { noteShown } from './note-shown.ts'
import { describeOrder } from './view.ts'

const DEFAULT_PER_PAGE = 10

export async function listOrders(context: ServiceContext, app: App, query: OrderListQuery): Promise<OrderList> {
  const { page = 1, per_page = DEFAULT_PER_PAGE } = query
  const { total, orderIds } = await searchOrders(
    context.db,
    {
      asker: app.name,
      apps: parseList('integrator', query.integrator),
      statuses: parseStatuses(query.status),
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
    (snapshot) => describeOrder(context, app, snapshot),
  )
  return {
    data,
    page,
    total_pages: Math.ceil(total / per_page),
    total_items: total,
    per_page,
  }
}
