/** What every part of the service works with. */
import type { ChainClient } from '../chains/port/client.ts'
import type { Logger } from '../log.ts'
import type { ChainId } from '../protocol/chain-id.ts'
import { TandemError } from '../protocol/error.ts'
import { openPolicy, type Policy, type PolicyRules } from '../protocol/policy.ts'
import type { Registry } from '../protocol/registry/registry.ts'
import type { Database } from '../store/database/database.ts'
import type { OrderWriter } from '../store/orders/order-writer.ts'
import type { Vault } from '../store/orders/sealed-values.ts'
import type { Prices } from './quotes/prices.ts'
import type { SolverClient } from './solver-client.ts'

export type ServiceSettings = {
  /** Header names that may carry the app id, lower case. */
  readonly appIdHeaders: readonly string[]
  /** For local use: any web page may call. Otherwise a page's origin must be on its app's list. */
  readonly allowAnyOrigin: boolean
  readonly serviceFeeBips: number
  readonly maxAffiliateFeeBips: number
  /** How long a PATCH waits for its transaction to be broadcast. */
  readonly broadcastWaitMs: number
  readonly bodyLimitBytes: number
  /** Which assets may be swapped for which. */
  readonly policy: Policy
  /** For apps that have no limit of their own. */
  readonly rateLimitPerMinute: number
  /** Where clients find this service, for links in answers; null: where they asked. */
  readonly publicUrl: string | null
  /** TTL of cached app settings: a change with `tandem apps` takes effect after this. */
  readonly appCacheMs: number
  /** TTL of cached quotes. */
  readonly quoteCacheMs: number
}

/** All but the environment may be left out. */
export type ServiceOptions = Partial<ServiceSettings> & { readonly environment: string }

const defaults: ServiceSettings = {
  appIdHeaders: ['service-app-id'],
  allowAnyOrigin: false,
  serviceFeeBips: 0,
  maxAffiliateFeeBips: 1000,
  broadcastWaitMs: 15_000,
  bodyLimitBytes: 64 * 1024,
  policy: openPolicy,
  rateLimitPerMinute: 600,
  publicUrl: null,
  appCacheMs: 5_000,
  quoteCacheMs: 1_000,
}

export function completeSettings({ environment, ...given }: ServiceOptions): ServiceSettings {
  return { ...defaults, allowAnyOrigin: environment === 'local', ...given }
}

export type ServiceContext = {
  readonly db: Database
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly solvers: readonly SolverClient[]
  readonly vault: Vault
  readonly orderWriter: OrderWriter
  readonly prices: Prices
  readonly policy: PolicyRules
  readonly log: Logger
  /** Unix seconds. */
  now(): bigint
  /** Tells the engine that something new was written. */
  wake(): void
  chainHealthy(chain: ChainId): boolean
  readonly settings: ServiceSettings
}

/** Nothing new starts on a chain whose nodes do not answer. */
export function assertHealthy(context: ServiceContext, chains: readonly ChainId[]): void {
  const silent = chains.find((chain) => !context.chainHealthy(chain))
  if (silent !== undefined)
    throw new TandemError('chain_unavailable', `${silent} cannot be reached at the moment: nothing new is started on it; try again later`)
}
