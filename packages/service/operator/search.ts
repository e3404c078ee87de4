/** Finds orders by id, address, transaction or secret hash, of all apps. */

import { findListed } from '@tandem/party/store/operator-view/in-progress.ts'
import { type FoundOrders, type OrderFilter, searchOrders } from '@tandem/party/store/order-list/order-search.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { SearchRecord } from '@tandem/protocol/wire/operator.ts'
import type { ServiceContext } from '../context.ts'
import { parseAddresses, parseTransactions } from '../orders/filters.ts'
import { describeRows } from './order-rows.ts'

const MOST_FOUND = 25
const MAX_TEXT = 200

/** Every way is one look into an index, and 25 orders at most. */
export async function searchForOperator(context: ServiceContext, text: string): Promise<SearchRecord> {
  const asked = text.trim()
  if (asked === '' || asked.length > MAX_TEXT || asked.includes(','))
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
    const found = await searchOrders(context.db, { ...everything(context), ...way }, { offset: 0, limit: MOST_FOUND })
    if (found.total > 0) return found
  }
  return { total: 0, orderIds: [] }
}

function everything({ registry }: ServiceContext): OrderFilter {
  return {
    asker: '',
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
