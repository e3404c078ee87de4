/** A quorum over the providers of one connection, which reports their trouble until it is closed. */
import { createProviderPool, type PoolOptions } from './pool.ts'
import type { Provider } from './provider.ts'
import type { Quorum } from './quorum.ts'

export type OpenQuorum<N> = Quorum<N> & {
  /** Closes every node. */
  close(): Promise<void>
}

export function openQuorum<N extends { close(): void | Promise<void> }>(
  chainId: string,
  providers: readonly Provider<N>[],
  { onTrouble, ...options }: Omit<Quorum<N>, 'pool'> & PoolOptions<N>,
): OpenQuorum<N> {
  let isClosed = false
  const pool = createProviderPool(providers, {
    ...options,
    // Closing aborts requests: that is not the provider's fault.
    onTrouble: (what) => (isClosed ? undefined : onTrouble(`${chainId}: ${what}`)),
  })
  return {
    ...options,
    pool,
    async close() {
      isClosed = true
      await Promise.all(providers.map(({ node }) => node.close()))
    },
  }
}
