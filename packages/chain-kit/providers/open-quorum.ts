/** Opens a quorum over the providers of one connection, and reports their trouble until it is closed. */
import { ChainFailure } from '../port/failure.ts'
import { createProviderPool, type PoolOptions, type ProblemOf, type Provider } from './pool.ts'
import type { Quorum } from './quorum.ts'

export type OpenQuorum<N> = Quorum<N> & {
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

/**
 * Checks every provider of a chain, not just the first that answers. Rejects with `would-fail` if any provider has a problem: that is a mistake in the
 * configuration, even if the others are fine. Rejects with `unreachable` if fewer than `quorum` answer.
 */
export async function checkProviders<N>(
  chainId: string,
  providers: readonly Provider<N>[],
  quorum: number,
  problemOf: ProblemOf<N>,
): Promise<void> {
  const settled = await Promise.allSettled(providers.map(({ node }) => problemOf(node)))
  const named = settled.map((one, i) => ({ name: providers[i]?.name, one }))
  const wrong = named.flatMap(({ name, one }) => (one.status === 'fulfilled' && one.value !== null ? [`${name} ${one.value}`] : []))
  if (wrong.length > 0) throw new ChainFailure('would-fail', `${chainId}: ${wrong.join(', ')}`)
  const silent = named.flatMap(({ name, one }) => (one.status === 'rejected' ? [`${name}: ${one.reason.message}`] : []))
  if (providers.length - silent.length < quorum) throw new ChainFailure('unreachable', silent.join('; '))
}
