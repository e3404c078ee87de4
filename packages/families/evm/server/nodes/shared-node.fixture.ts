/** Simulates EVM providers whose answers a test sets, and the shared node over them. */
import { createSharedNodeFixture } from '@tandem/chain-kit/testing/shared-node.fixture.ts'
import { localChains } from '@tandem/families/registry.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { EvmNode, NodeBlock } from './node.ts'
import { createSharedNode } from './shared-node.ts'

export const chain = localChains.find(({ reference }) => reference === 'evm:31337') as Chain
export const address = `0x${'11'.repeat(20)}` as const
export const txHash = `0x${'22'.repeat(32)}`

export function blockOf(height: bigint, branch = 0): NodeBlock {
  const hash = (at: bigint) => `0x${(at > 90n ? branch : 0).toString(16)}${at.toString(16).padStart(63, '0')}`
  return { height, hash: hash(height), parentHash: hash(height - 1n), time: height * 12n, baseFeePerGas: 7n, l1FeeRate: 0n }
}

export const { provider, sharedBy, dead } = createSharedNodeFixture<EvmNode, NodeBlock>({
  chain,
  share: createSharedNode,
  blockOf,
  answers: { chainId: async () => 31337n },
  unreachable: ['chainId', 'block', 'call', 'broadcast', 'isKnown'],
})
