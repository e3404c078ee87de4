/** Simulates providers whose answers a test sets, and the shared node over them. */
import type { Chain } from '@tandem/protocol/chain.ts'
import { ChainFailure } from '../port/failure.ts'
import type { Provider } from '../providers/pool.ts'
import type { SharedNodeOptions } from '../providers/quorum-node.ts'

type BlockNode<B> = {
  block(height: bigint | 'latest'): Promise<B | null>
  blocks(heights: readonly bigint[]): Promise<readonly B[]>
  close(): void
}

type NodeKind<N, B> = {
  readonly chain: Chain
  readonly share: (chain: Chain, providers: readonly Provider<N>[], options: SharedNodeOptions) => N
  readonly blockOf: (height: bigint, branch: number) => B
  readonly answers: Partial<N>
  readonly unreachable: readonly (keyof N)[]
}

export const unreachable = () => Promise.reject(new ChainFailure('unreachable', 'ECONNREFUSED'))

export function createSharedNodeFixture<N extends BlockNode<B>, B>({
  chain,
  share,
  blockOf,
  answers,
  unreachable: methods,
}: NodeKind<N, B>) {
  function provider(tip: bigint, says: Partial<N> = {}, branch = 0): Partial<N> {
    const block = async (height: bigint | 'latest') =>
      height === 'latest' ? blockOf(tip, branch) : height > tip ? null : blockOf(height, branch)
    const node = { block, close: () => undefined, ...answers, ...says }
    const blocks = async (heights: readonly bigint[]) => (await Promise.all(heights.map(node.block))).flatMap((found) => found ?? [])
    return { blocks, ...node }
  }

  function sharedBy(quorum: number, ...nodes: readonly Partial<N>[]) {
    const troubles: string[] = []
    const clock = { ms: 0 }
    const providers = nodes.map((node, i) => ({ name: 'abcdef'[i] ?? '', node: node as N }))
    const node = share(chain, providers, { quorum, onTrouble: (what) => troubles.push(what), nowMs: () => clock.ms })
    return { node, troubles, clock }
  }

  const dead = provider(0n, Object.fromEntries(methods.map((method) => [method, unreachable])) as Partial<N>)
  return { provider, sharedBy, dead }
}
