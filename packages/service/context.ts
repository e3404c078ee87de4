/** Settings and dependencies shared by all parts of the service. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { SigningLimit } from '@tandem/party/engine/signing-limit.ts'
import type { PriceFeed } from '@tandem/party/prices/feed.ts'
import type { ReadLiveAction } from '@tandem/party/store/actions/live-actions.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import type { OrderReader } from '@tandem/party/store/orders/order-reader.ts'
import type { OrderWriter } from '@tandem/party/store/orders/order-writer.ts'
import type { RefundBudget } from '@tandem/party/store/orders/paid-refunds.ts'
import type { Vault } from '@tandem/party/store/orders/sealed-values.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { FailedPayout } from '@tandem/protocol/payout-limits.ts'
import { openPolicy, type Policy, type PolicyRules } from '@tandem/protocol/policy.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import type { Claims } from './earnings/claims.ts'
import type { StreamLimits } from './events/stream-limits.ts'
import type { EventStreams } from './events/stream-request.ts'
import type { OperatorHalts } from './operator/halts.ts'
import type { Recipients } from './orders/recipients.ts'
import type { QuoteIds } from './quotes/quote-ids.ts'
import type { RecentAuctions } from './quotes/recent-auctions.ts'
import type { RelayFunds } from './relay-funds.ts'
import type { SolverClient } from './solver-client.ts'
import type { SolverPool } from './solvers/pool.ts'
import type { SolverKeys } from './solvers/solver-keys.ts'

export type ServiceSettings = {
  readonly environment: string
  /** Header names that may carry the app id, lower case. */
  readonly appIdHeaders: readonly string[]
  /** For local use: any web page may call. Otherwise the app must list the page's origin. */
  readonly allowAnyOrigin: boolean
  readonly serviceFeeBips: number
  readonly maxAffiliateFeeBips: number
  /** What affiliates are paid in if an order does not say; null: its source asset. */
  readonly affiliateAsset: AssetId | null
  /** Solvers of the operator: what they collect for affiliates is paid in as soon as it is final. */
  readonly ownSolvers: readonly string[]
  /** How far a solver's price may be from our own. */
  readonly maxQuoteDeviationBips: number
  /** How long a PATCH waits for its transaction to be broadcast. */
  readonly broadcastWaitMs: number
  readonly bodyLimitBytes: number
  /** Which assets may be swapped for which. */
  readonly policy: Policy
  /** For apps that have no limit of their own. */
  readonly rateLimitPerMinute: number
  /** Of one address, whatever it asks. */
  readonly addressLimitPerMinute: number
  /** Of one address for one order. */
  readonly orderLimitPerMinute: number
  /** The URL of this service, for links in answers; null: the host that the client called. */
  readonly publicUrl: string | null
  /** TTL of cached app settings: a change with `tandem apps` takes effect after this. */
  readonly appCacheMs: number
  /** TTL of cached quotes. */
  readonly quoteCacheMs: number
  /** What the network fees of instant refunds may cost. */
  readonly refundBudget: RefundBudget
  /** How long solvers have to answer in an auction. */
  readonly quoteBudgetMs: number
  /** How many event streams may be open. */
  readonly streamLimits: StreamLimits
  /** Addresses and networks of reverse proxies, whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[]
  /** What the pages of this service use. */
  readonly web: WebSettings
}

export type WebSettings = {
  /** The app of the pages; null: the operator has made none. */
  readonly appId: string | null
  /** Nodes that the pages ask by themselves, by chain. */
  readonly nodes: Readonly<Record<string, string>>
  /** The path of the `local.json` of a local stack. Null elsewhere. */
  readonly localFile: string | null
}

/** All but the environment may be left out. */
export type ServiceOptions = Partial<ServiceSettings> & { readonly environment: string }

export const STREAM_LIMITS: StreamLimits = { perProcess: 10_000, perApp: 5_000, perAddress: 100 }

const defaults: Omit<ServiceSettings, 'environment'> = {
  appIdHeaders: ['service-app-id'],
  allowAnyOrigin: false,
  serviceFeeBips: 0,
  maxAffiliateFeeBips: 1000,
  affiliateAsset: null,
  ownSolvers: [],
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
  web: { appId: null, nodes: {}, localFile: null },
}

export function completeSettings({ environment, ...given }: ServiceOptions): ServiceSettings {
  return { ...defaults, environment, allowAnyOrigin: environment === 'local', ...given }
}

export type ServiceContext = {
  readonly db: Database
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly solvers: readonly SolverClient[]
  /** The same solvers: whom to ask, and how reliable each is. */
  readonly pool: SolverPool
  readonly solverKeys: SolverKeys
  readonly recentAuctions: RecentAuctions
  readonly quoteIds: QuoteIds
  readonly vault: Vault
  readonly orderReader: OrderReader
  readonly readLiveAction: ReadLiveAction
  readonly orderWriter: OrderWriter
  readonly recipients: Recipients
  readonly claims: Claims
  readonly events: EventStreams
  /** Of the last 24 hours. */
  readonly failedPayouts: () => Promise<readonly FailedPayout[]>
  readonly prices: PriceFeed
  readonly signingLimit: SigningLimit
  readonly operatorHalts: OperatorHalts
  readonly relayFunds: RelayFunds
  readonly policy: PolicyRules
  readonly log: Logger
  /** Unix seconds. */
  now(): bigint
  /** Makes the engine watch a new order on these chains. */
  expectOrders(chains: readonly ChainId[]): void
  /** Makes the engine reconcile after a write about an order. */
  wake(): void
  chainHealthy(chain: ChainId): boolean
  /** Why nobody would redeem a new swap; null while an engine lives, in this process or another. */
  engineProblem(): string | null
  /** False while the service is too busy with the orders that exist, and while no engine lives. */
  admits(what: 'quote' | 'order'): boolean
  /** Why the database cannot be written; null: it can. At most a second old. */
  databaseProblem(): Promise<string | null>
  readonly settings: ServiceSettings
}

/** Refuses new quotes and orders on a chain whose nodes do not answer. */
export function assertHealthy(context: ServiceContext, chains: readonly ChainId[]): void {
  const unreachable = chains.find((chain) => !context.chainHealthy(chain))
  if (unreachable !== undefined)
    throw new TandemError('chain_unavailable', `${unreachable} cannot be reached at the moment: no new swap starts on it; try again later`)
}
