/** Every endpoint of the API. Its shapes are the schemas of the server. */
import type { CreateOrderResult } from '@tandem/protocol/funding/funding.ts'
import type { AssetRecord, CatalogQuery } from '@tandem/protocol/wire/asset.ts'
import type { ChainRecord } from '@tandem/protocol/wire/chain.ts'
import type { EarningsQuery, EarningsRecord } from '@tandem/protocol/wire/earnings.ts'
import type { Feed, FeedQuery } from '@tandem/protocol/wire/feed.ts'
import type { LiquidityRecord } from '@tandem/protocol/wire/liquidity.ts'
import type { CreateOrderRequest, OrderRecord, PatchOrderRequest } from '@tandem/protocol/wire/order.ts'
import type { OrderList, OrderListQuery } from '@tandem/protocol/wire/order-list.ts'
import type { PolicyRecord } from '@tandem/protocol/wire/policy.ts'
import type { Quote, QuoteQuery } from '@tandem/protocol/wire/quote.ts'
import type { SchemaRecord } from '@tandem/protocol/wire/schema.ts'
import type { StatisticsQuery } from '@tandem/protocol/wire/statistics.ts'
import { createHttp, type HttpOptions } from './http.ts'

type With = { readonly signal?: AbortSignal }
type PatchAction = 'initiate' | 'redeem' | 'refund' | 'instant-refund'

export type Client = ReturnType<typeof createClient>

export function createClient(options: HttpOptions) {
  const http = createHttp(options)
  const get = <T>(path: string, { signal }: With = {}, query: object = {}) =>
    http<T>({ method: 'GET', path, query: query as Readonly<Record<string, string>>, signal })
  const order = (id: string) => `/orders/${encodeURIComponent(id)}`

  return {
    quote: (query: QuoteQuery, given?: With) => get<Quote[]>('/quote', given, query),
    /** `idempotencyKey` repeats a request of an earlier page. The default is a new key. */
    createOrder: (
      body: CreateOrderRequest,
      { signal, idempotencyKey = crypto.randomUUID() }: With & { readonly idempotencyKey?: string } = {},
    ) => http<CreateOrderResult>({ method: 'POST', path: '/orders', body, headers: { 'idempotency-key': idempotencyKey }, signal }),
    order: (id: string, given?: With) => get<OrderRecord>(order(id), given),
    /** Returns how to fund an order in the present state of its chain. */
    funding: (id: string, given?: With) => get<CreateOrderResult>(`${order(id)}/funding`, given),
    instantRefundHashes: (id: string, given?: With) => get<string[]>(`${order(id)}/instant-refund-hash`, given),
    /** Resolves to the hash of a transaction. A repeated call joins the first. */
    patchOrder: (id: string, action: PatchAction, body: PatchOrderRequest, { signal }: With = {}) =>
      http<string>({ method: 'PATCH', path: order(id), query: { action }, body, signal }),
    orders: (query: OrderListQuery = {}, given?: With) => get<OrderList>('/orders', given, query),
    chains: (query: CatalogQuery = {}, given?: With) => get<ChainRecord[]>('/chains', given, query),
    assets: (query: CatalogQuery = {}, given?: With) => get<AssetRecord[]>('/assets', given, query),
    policy: (given?: With) => get<PolicyRecord>('/policy', given),
    schemas: (given?: With) => get<SchemaRecord[]>('/schemas', given),
    schema: (name: string, given?: With) => get<SchemaRecord>(`/schemas/${encodeURIComponent(name)}`, given),
    liquidity: (given?: With) => get<LiquidityRecord[]>('/liquidity', given),
    health: (given?: With) => get<'Online'>('/health', given),
    /** Volume and fees are in US dollars. */
    volume: (query: StatisticsQuery = {}, given?: With) => get<string>('/volume', given, query),
    fees: (query: StatisticsQuery = {}, given?: With) => get<string>('/fees', given, query),
    /** Orders of all apps without anything about their users; 404 unless the operator has turned it on. */
    feed: (query: FeedQuery = {}, given?: With) => get<Feed>('/feed', given, query),
    earnings: (query: EarningsQuery = {}, given?: With) => get<EarningsRecord[]>('/apps/earnings', given, query),
  }
}
