/** GET /feed: orders of all apps without anything about their users, for explorers and statistics. */
import { type Static, Type } from 'typebox'
import { type OrderStatus, orderStatuses } from '../state.ts'
import type { OrderRecord } from './order.ts'
import { pageFields } from './order-list.ts'
import type { SwapRecord } from './swap.ts'
import { ValueList } from './value-list.ts'

/** What no chain shows is between a user and an app: it is in no feed. */
export const publicStatuses: readonly OrderStatus[] = orderStatuses.filter((status) => status !== 'created' && status !== 'expired')

export const FeedQuery = Type.Object({
  from_chain: ValueList('a source chain'),
  to_chain: ValueList('a destination chain'),
  solver_id: ValueList('the id of a solver'),
  status: ValueList('in-progress (or pending), completed (or fulfilled), refunded, or a status of an order record'),
  ...pageFields,
})
export type FeedQuery = Static<typeof FeedQuery>

const FeedSwap = Type.Object(
  {
    chain: Type.String({ description: 'the chain of the HTLC' }),
    asset: Type.String({ description: 'what is locked, as <chain>:<token>' }),
    amount: Type.String({ description: 'what is to be locked, in the smallest unit' }),
    filled_amount: Type.String({ description: 'what is locked so far, in the smallest unit' }),
    asset_price: Type.Number({ description: 'US dollars per whole coin when the order was made' }),
    initiate_tx_hash: Type.String({ description: 'as in the order record' }),
    redeem_tx_hash: Type.String({ description: 'as in the order record' }),
    refund_tx_hash: Type.String({ description: 'as in the order record' }),
    initiate_timestamp: Type.Union([Type.String(), Type.Null()], { description: 'as in the order record' }),
    redeem_timestamp: Type.Union([Type.String(), Type.Null()], { description: 'as in the order record' }),
    refund_timestamp: Type.Union([Type.String(), Type.Null()], { description: 'as in the order record' }),
  },
  { title: 'FeedSwap' },
)

export const FeedRecord = Type.Object(
  {
    created_at: Type.String({ description: 'ISO 8601' }),
    status: Type.Enum([...publicStatuses], { description: 'as in the order record' }),
    solver_id: Type.String({ description: 'the solver that pays the destination' }),
    source: FeedSwap,
    destination: FeedSwap,
  },
  { title: 'FeedOrder' },
)
export type FeedRecord = Static<typeof FeedRecord>

export const Feed = Type.Object(
  {
    data: Type.Array(FeedRecord, { description: 'the orders of this page' }),
    page: Type.Integer({ description: 'the number of this page, from 1' }),
    total_pages: Type.Integer({ description: 'how many pages there are' }),
    total_items: Type.Integer({ description: 'how many orders match' }),
    per_page: Type.Integer({ description: 'orders on a page' }),
  },
  { title: 'Feed' },
)
export type Feed = Static<typeof Feed>

export function feedToWire({ created_at, status, solver_id, source_swap, destination_swap }: OrderRecord): FeedRecord {
  return { created_at, status, solver_id, source: swapToFeed(source_swap), destination: swapToFeed(destination_swap) }
}

/** Each field is named here: one that is added to the order record does not become public by itself. */
function swapToFeed(swap: SwapRecord): Static<typeof FeedSwap> {
  const { chain, asset, amount, filled_amount, asset_price, initiate_tx_hash, redeem_tx_hash, refund_tx_hash } = swap
  const { initiate_timestamp, redeem_timestamp, refund_timestamp } = swap
  const txs = { initiate_tx_hash, redeem_tx_hash, refund_tx_hash }
  return { chain, asset, amount, filled_amount, asset_price, ...txs, initiate_timestamp, redeem_timestamp, refund_timestamp }
}
