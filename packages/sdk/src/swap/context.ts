/** What every part of a swap needs: the client, the user's keys, the storage, and the integrator's own knowledge of chains. */

import type { Node } from '@tandem/chain-kit/browser/family.ts'
import type { Client } from '../client/client.ts'
import type { HttpOptions } from '../client/http.ts'
import type { WatchOptions } from '../client/watch.ts'
import type { SwapKeys } from '../keys/keys.ts'
import type { Deployments, PinnedRegistry } from '../verify/pinned.ts'
import type { SwapStorage } from './storage.ts'

export type TandemOptions = HttpOptions &
  WatchOptions & {
    /** Contracts by asset, for local networks and for tokens that the bundled registry does not confirm. */
    readonly deployments?: Deployments
    /** Chains and assets that the operator of the service added to its registry: see `docs/configuration.md`. */
    readonly registry?: PinnedRegistry
    /**
     * A node by chain: an RPC URL, an Esplora URL on chains of the Bitcoin family. With a node the SDK sees for itself that the destination is
     * funded before it reveals a secret, and the user's own keys redeem and refund without the service.
     */
    readonly nodes?: Readonly<Record<string, string>>
    /**
     * Public keys of solvers by chain, as `GET /chains` names them. With them `findDeposits` needs no service; The SDK knows others without
     * it.
     */
    readonly solverKeys?: Readonly<Record<string, readonly string[]>>
    /** The default is `localStorage`. Where there is none, a swap needs `fileStorage` of `@tandem/sdk/node`, or `memoryStorage`. */
    readonly storage?: SwapStorage
    /** By default the keys are random and kept in the storage. */
    readonly keys?: SwapKeys
  }

export type SwapContext = {
  readonly client: Client
  readonly options: TandemOptions
  readonly storage: SwapStorage
  readonly keys: SwapKeys
}

export function nodeOf(
  { options }: SwapContext,
  chain: { readonly id: string; readonly publicRpcs?: readonly string[] },
  signal?: AbortSignal,
): Node | null {
  const url = options.nodes?.[chain.id] ?? chain.publicRpcs?.[0]
  // Browsers refuse `fetch` as a method of another object. The module with `plainFetch` would be in the core for this line alone.
  const { fetch = (...given) => globalThis.fetch(...given) } = options
  return url === undefined ? null : { url, fetch, ...(signal !== undefined && { signal }) }
}

/** Returns unix seconds by our own clock. */
export function now(): bigint {
  return BigInt(Math.floor(Date.now() / 1000))
}
