/** GET /orders has this query and result. Each value of its `status` filter includes several statuses. */
import { type Static, Type } from 'typebox'
import { MAX_SECRET_HASHES } from '../secret-lookup.ts'
import { type OrderStatus, orderStatuses } from '../state.ts'
import { OrderRecord } from './order.ts'
import { ADDRESSES, ValueList } from './value-list.ts'

const completed: readonly OrderStatus[] = ['redeem_detected', 'redeemed', 'counterparty_redeemed']
const inProgress: readonly OrderStatus[] = [
  'initiate_detected',
  'initiated',
  'counterparty_initiate_detected',
  'counterparty_initiated',
  'awaiting_refund',
  'refund_detected',
]

/** The filters are the names of an order's own statuses, and these. */
export const statusFilters: Readonly<Record<string, readonly OrderStatus[]>> = {
  ...Object.fromEntries(orderStatuses.map((status) => [status, [status]])),
  'not-initiated': ['created'],
  'in-progress': inProgress,
  pending: inProgress,
  completed,
  fulfilled: completed,
  /** The filter has everything worth showing to a user. */
  display: orderStatuses.filter((status) => status !== 'expired'),
  all: orderStatuses,
}

const MAX_PER_PAGE = 500
const MAX_PAGE = 1_000_000_000

/** All lists by page have these. */
export const pageFields = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE, description: 'a whole number from 1' })),
  per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PER_PAGE, description: `a whole number from 1 to ${MAX_PER_PAGE}` })),
}

export const OrderListQuery = Type.Object({
  address: ValueList(ADDRESSES),
  tx_hash: ValueList('the hash of a transaction that initiated, redeemed or refunded'),
  secret_hash: ValueList(`the secret hash of an order, in full (at most ${MAX_SECRET_HASHES})`),
  from_chain: ValueList('a source chain'),
  to_chain: ValueList('a destination chain'),
  from_owner: ValueList('a source owner as POST /orders named it; without one, the refund address that was set first'),
  to_owner: ValueList('a destination owner'),
  solver_id: ValueList('the id of a solver'),
  integrator: ValueList('the name of an app'),
  status: ValueList(
    'not-initiated, in-progress (or pending), completed (or fulfilled), refunded, expired, display, all, or a status of an order record',
  ),
  ...pageFields,
})
export type OrderListQuery = Static<typeof OrderListQuery>

export const OrderList = Type.Object(
  {
    data: Type.Array(OrderRecord, { description: 'the orders of this page' }),
    page: Type.Integer({ description: 'the number of this page, from 1' }),
    total_pages: Type.Integer({ description: 'how many pages there are' }),
    total_items: Type.Integer({ description: 'how many orders match' }),
    per_page: Type.Integer({ description: 'orders on a page' }),
  },
  { title: 'OrderList' },
)
export type OrderList = Static<typeof OrderList>
