/** Simulated Starknet providers whose answers a test sets, and the shared node over them. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { rows } from '../../terms/registry.ts'
import type { NodeBlock, StarknetNode } from './node.ts'
import { createSharedNode } from './shared-node.ts'

const chain = rows.mainnet.chains.find(({ reference }) => reference === 'starknet:SN_MAIN') as Chain

/** A block of one of two branches, which fork above block 90. */
export function blockOf(height: bigint, branch = 0): NodeBlock {
  const hash = (at: bigint) => `0xa${at > 90n ? branch : 0}${at.toString(16).padStart(8, '0')}`
  return {
    height,
    hash: hash(height),
    parentHash: hash(height - 1n),
    time: height * 3n,
    gasPrices: { l1Gas: 3n, l1DataGas: 2n, l2Gas: 1n },
  }
}

/** A provider whose newest block is at `tip`. */
export function provider(tip: bigint, says: Partial<StarknetNode> = {}, branch = 0): Partial<StarknetNode> {
  const node = {
    chainId: async () => 'SN_MAIN',
    specVersion: async () => '0.9.0',
    block: async (height: bigint | 'latest') =>
      height === 'latest' ? blockOf(tip, branch) : height > tip ? null : blockOf(height, branch),
    close: () => undefined,
    ...says,
  }
  return { blocks: async (heights) => (await Promise.all(heights.map(node.block))).flatMap((block) => block ?? []), ...node }
}

export const unreachable = () => Promise.reject(new ChainFailure('unreachable', 'ECONNREFUSED'))
export const dead = provider(0n, {
  chainId: unreachable,
  block: unreachable,
  call: unreachable,
  broadcast: unreachable,
  outcome: unreachable,
})

/** Named a, b, c, … */
export function sharedBy(quorum: number, ...nodes: readonly Partial<StarknetNode>[]) {
  const troubles: string[] = []
  const clock = { ms: 0 }
  const providers = nodes.map((node, i) => ({ name: 'abcdef'[i] ?? '', node: node as StarknetNode }))
  const node = createSharedNode(chain, providers, { quorum, onTrouble: (what) => troubles.push(what), nowMs: () => clock.ms })
  return { node, troubles, clock }
}
