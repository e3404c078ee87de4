/** Simulated EVM providers whose answers a test sets, and the shared node over them. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { localChains } from '@tandem/families/registry.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { EvmNode, NodeBlock } from './node.ts'
import { createSharedNode } from './shared-node.ts'

export const chain = localChains.find(({ reference }) => reference === 'evm:31337') as Chain
export const address = `0x${'11'.repeat(20)}` as const
export const txHash = `0x${'22'.repeat(32)}`

/** A block of one of two branches, which fork above block 90. */
export function blockOf(height: bigint, branch = 0): NodeBlock {
  const hash = (at: bigint) => `0x${(at > 90n ? branch : 0).toString(16)}${at.toString(16).padStart(63, '0')}`
  return { height, hash: hash(height), parentHash: hash(height - 1n), time: height * 12n, baseFeePerGas: 7n, l1FeeRate: 0n }
}

/** A provider whose newest block is at `tip`. */
export function provider(tip: bigint, says: Partial<EvmNode> = {}, branch = 0): Partial<EvmNode> {
  const node = {
    chainId: async () => 31337n,
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
  isKnown: unreachable,
})

/** Named a, b, c, … */
export function sharedBy(quorum: number, ...nodes: readonly Partial<EvmNode>[]) {
  const troubles: string[] = []
  const clock = { ms: 0 }
  const providers = nodes.map((node, i) => ({ name: 'abcdef'[i] ?? '', node: node as EvmNode }))
  const node = createSharedNode(chain, providers, { quorum, onTrouble: (what) => troubles.push(what), nowMs: () => clock.ms })
  return { node, troubles, clock }
}
