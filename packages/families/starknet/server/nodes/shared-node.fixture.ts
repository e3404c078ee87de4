/** Simulates Starknet providers whose answers a test sets, and the shared node over them. */
import { createSharedNodeFixture } from '@tandem/chain-kit/testing/shared-node.fixture.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { rows } from '../../terms/registry.ts'
import type { NodeBlock, StarknetNode } from './node.ts'
import { createSharedNode } from './shared-node.ts'

/** The two branches fork above block 90. */
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

export const { provider, sharedBy, dead } = createSharedNodeFixture<StarknetNode, NodeBlock>({
  chain: rows.mainnet.chains.find(({ reference }) => reference === 'starknet:SN_MAIN') as Chain,
  share: createSharedNode,
  blockOf,
  answers: { chainId: async () => 'SN_MAIN', specVersion: async () => '0.9.0' },
  unreachable: ['chainId', 'block', 'call', 'broadcast', 'outcome'],
})
