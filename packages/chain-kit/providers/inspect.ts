/** Reports on each provider of a chain: whether it serves the chain, how far it is synced, and whether it serves events of a week ago. */
import type { Chain } from '@tandem/protocol/chain.ts'
import type { ProviderReport } from '../port/abilities/reading.ts'
import type { ProblemOf, Provider } from './pool.ts'

export type Probes<N> = {
  readonly problemOf: ProblemOf<N>
  readonly height: (node: N) => Promise<bigint>
  readonly hasEventsAt: (node: N, height: bigint) => Promise<boolean>
  readonly tags: (node: N) => Promise<readonly string[]>
  readonly allowedLag: bigint
}

const WEEK_MS = 7n * 86_400_000n

type Inspected = Omit<ProviderReport, 'behind' | 'isLate'>

export async function inspectProviders<N>(
  chain: Pick<Chain, 'blockMs'>,
  providers: readonly Provider<N>[],
  probes: Probes<N>,
): Promise<readonly ProviderReport[]> {
  const inspected = await Promise.all(providers.map((provider) => inspect(chain, provider, probes)))
  const highest = inspected.reduce((max, { height }) => (height > max ? height : max), 0n)
  return inspected.map((one) => {
    const behind = one.error === null ? highest - one.height : 0n
    return { ...one, behind, isLate: behind > probes.allowedLag }
  })
}

async function inspect<N>({ blockMs }: Pick<Chain, 'blockMs'>, { name, node }: Provider<N>, probes: Probes<N>): Promise<Inspected> {
  const failed = (error: string) => ({ name, error, height: 0n, hasOldEvents: false, tags: [] })
  try {
    const problem = await probes.problemOf(node)
    if (problem !== null) return failed(problem)
    const height = await probes.height(node)
    const weekAgo = height - WEEK_MS / blockMs
    const [hasOldEvents, tags] = await Promise.all([probes.hasEventsAt(node, weekAgo > 0n ? weekAgo : 0n), probes.tags(node)])
    return { name, error: null, height, hasOldEvents, tags }
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error))
  }
}
