/** The settings and dependencies that all parts of the service share. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { SigningLimit } from '@tandem/party/engine/signing-limit.ts'
import type { PriceFeed } from '@tandem/party/prices/feed.ts'
import type { ReadLiveAction } from '@tandem/party/store/actions/live-actions.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import type { OrderReader } from '@tandem/party/store/orders/order-reader.ts'
import type { OrderWriter } from '@tandem/party/store/orders/order-writer.ts'
import type { RefundBudget } from '@tandem/party/store/orders/paid-refunds.ts'
import type { Sealer } from '@tandem/party/store/orders/sealed-values.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { FailedPayout } from '@tandem/protocol/payout-limits.ts'
import { openPolicy, type Policy, type PolicyRules } from '@tandem/protocol/policy.ts'
import type { RegistryAdditions } from '@tandem/protocol/registry/addable.ts'
import type { EnvironmentName } from '@tandem/protocol/registry/environment.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import type { Claims } from './earnings/claims.ts'
import type { StreamLimits } from './events/stream-limits.ts'
import type { EventStreams } from './events/stream-request.ts'
import type { SignRefunds } from './instant-refund/refund-wish.ts'
import type { OperatorHalts } from './operator/halts.ts'
import type { Recipients } from './orders/recipients.ts'
import type { QuoteIds } from './quotes/quote-ids.ts'
import type { RecentAuctions } from './quotes/recent-auctions.ts'
import type { RelayFunds } from './relay-funds.ts'
import type { SignatureOffers } from './signature-offers.ts'
import type { SolverClient } from './solver-client.ts'
import type { SolverPool } from './solvers/pool.ts'
import type { SolverKeys } from './solvers/solver-keys.ts'
import type { SolverRequests } from './solvers/solver-requests.ts'

export type ServiceSettings = {
  readonly environment: string
  readonly appIdHeaders: readonly string[]
  /** Any web page may call; this is for local use. Otherwise the app must list the page's origin. */
  readonly allowAnyOrigin: boolean
  readonly serviceFeeBips: number
  readonly maxAffiliateFeeBips: number
  /** Affiliates are paid in this asset if an order names none. Null means the order's source asset. */
  readonly affiliateAsset: AssetId | null
  /** What these solvers of the operator collect for affiliates counts as paid in as soon as it is final. */
  readonly ownSolvers: readonly string[]
  readonly destinationGas: DestinationGasSettings
  /** A solver's price may differ from the service's own by this much. */
  readonly maxQuoteDeviationBips: number
  readonly broadcastWaitMs: number
  readonly bodyLimitBytes: number
  /** The policy says which assets may be swapped for which. */
  readonly policy: Policy
  readonly rateLimitPerMinute: number
  readonly addressLimitPerMinute: number
  readonly orderLimitPerMinute: number
  /** Links in answers begin with this URL. Null means the host that the client called. */
  readonly publicUrl: string | null
  readonly appCacheMs: number
  readonly quoteCacheMs: number
  readonly refundBudget: RefundBudget
  readonly quoteBudgetMs: number
  readonly streamLimits: StreamLimits
  /** Reverse proxies at these addresses and networks are believed in their `X-Forwarded-For`. */
  readonly trustedProxies: readonly string[]
  /** Any app may page through the orders of all apps, without anything about their users. */
  readonly publicFeed: boolean
  readonly web: WebSettings
}

export type DestinationGasSettings = {
  /** What a payout to the chain may also give of its coin. It is offered on no other chain. */
  readonly usdMicros: ReadonlyMap<ChainId, bigint>
  /** Only these solvers take orders with it: the service pays it, and they collect its price. */
  readonly solvers: readonly string[]
}

export type PageRegistry = RegistryAdditions & { readonly environment: EnvironmentName }

export type WebSettings = {
  /** The pages call as this app. It is null if the operator has made none. */
  readonly appId: string | null
  readonly nodes: Readonly<Record<string, string>>
  /** What the operator added to the registry; null if nothing was. The SDK of the pages is told of it. */
  readonly registry: PageRegistry | null
  /** This is the path of the `local.json` of a local stack, and null elsewhere. */
  readonly localFile: string | null
}

export type ServiceOptions = Partial<ServiceSettings> & { readonly environment: string }

export const STREAM_LIMITS: StreamLimits = { perProcess: 10_000, perApp: 5_000, perAddress: 100 }

const defaults: Omit<ServiceSettings, 'environment'> = {
  appIdHeaders: ['service-app-id'],
  allowAnyOrigin: false,
  serviceFeeBips: 0,
  maxAffiliateFeeBips: 1000,
  affiliateAsset: null,
  ownSolvers: [],
  destinationGas: { usdMicros: new Map(), solvers: [] },
  maxQuoteDeviationBips: 300,
  broadcastWaitMs: 15_000,
  bodyLimitBytes: 64 * 1024,
  policy: openPolicy,
  rateLimitPerMinute: 600,
  addressLimitPerMinute: 6_000,
  orderLimitPerMinute: 120,
  publicUrl: null,
  appCacheMs: 5_000,
  quoteCacheMs: 1_000,
  refundBudget: { ownerUsdMicros: 5_000_000n, appUsdMicros: 500_000_000n },
  quoteBudgetMs: 400,
  streamLimits: STREAM_LIMITS,
  trustedProxies: [],
  publicFeed: false,
  web: { appId: null, nodes: {}, registry: null, localFile: null },
}

export function completeSettings({ environment, ...given }: ServiceOptions): ServiceSettings {
  return { ...defaults, environment, allowAnyOrigin: environment === 'local', ...given }
}

export type ServiceContext = {
  readonly db: Database
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly solvers: readonly SolverClient[]
  readonly pool: SolverPool
  readonly solverKeys: SolverKeys
  readonly solverRequests: SolverRequests
  readonly signatureOffers: SignatureOffers
  readonly recentAuctions: RecentAuctions
  readonly quoteIds: QuoteIds
  readonly sealer: Sealer
  readonly orderReader: OrderReader
  readonly readLiveAction: ReadLiveAction
  readonly orderWriter: OrderWriter
  readonly recipients: Recipients
  readonly claims: Claims
  readonly events: EventStreams
  readonly failedPayouts: () => Promise<readonly FailedPayout[]>
  readonly prices: PriceFeed
  readonly signingLimit: SigningLimit
  readonly operatorHalts: OperatorHalts
  readonly relayFunds: RelayFunds
  readonly policy: PolicyRules
  readonly log: Logger
  /** The time is in Unix seconds. */
  now(): bigint
  expectOrders(chains: readonly ChainId[]): void
  /** An engine signs, in this process or another. */
  readonly signRefunds: SignRefunds
  /** Makes the engine reconcile after a write about an order. */
  wake(): void
  chainHealthy(chain: ChainId): boolean
  /** Returns the reason why nobody would redeem a new swap, or null while an engine lives, in this process or another. */
  engineProblem(): string | null
  /** Returns false while the service is too busy with existing orders, and while no engine lives. */
  admits(what: 'quote' | 'order'): boolean
  /** Resolves to the reason why the database cannot be written, at most a second old, or to null if it can. */
  databaseProblem(): Promise<string | null>
  readonly settings: ServiceSettings
}

/** Refuses new quotes and orders on a chain whose nodes do not answer. */
export function assertHealthy(context: ServiceContext, chains: readonly ChainId[]): void {
  const unreachable = chains.find((chain) => !context.chainHealthy(chain))
  if (unreachable !== undefined)
    throw new TandemError('chain_unavailable', `${unreachable} cannot be reached at the moment: no new swap starts on it; try again later`)
}
