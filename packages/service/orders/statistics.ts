/** GET /volume and GET /fees: totals over all completed orders of this service. */

import { type Statistics, sumCompletedOrders } from '@tandem/party/store/order-list/order-statistics.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { StatisticsQuery } from '@tandem/protocol/wire/statistics.ts'
import type { ServiceContext } from '../context.ts'
import { parseAddresses, parseChains } from './filters.ts'

export function readStatistics({ db, registry, clients }: ServiceContext, query: StatisticsQuery): Promise<Statistics> {
  const { from = null, to = null } = query
  if (from !== null && to !== null && from > to)
    throw new TandemError('bad_request', `from: expected a time that is not later than to, got ${from} and ${to}`)
  return sumCompletedOrders(db, {
    fromChains: parseChains(registry, 'source_chain', query.source_chain),
    toChains: parseChains(registry, 'destination_chain', query.destination_chain),
    addresses: parseAddresses(clients, 'address', query.address),
    chains: registry.chains.map(({ id }) => id),
    since: from,
    until: to,
  })
}
