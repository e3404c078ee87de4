/** Tests that the in-memory chain of the engine's tests passes the header suite too: dense, and fast with skipped heights. */
import { createMemoryChain } from '@tandem/party/engine/chain.fixture.ts'
import { describe } from 'vitest'
import { describeHeaders } from './headers.conformance.ts'

const NOW = 1_700_000_000n

describe.each([
  { name: 'a chain with a block every 2 s', pace: { blockMs: 2000 } },
  { name: 'a chain with four blocks a second and skipped heights', pace: { blockMs: 250, skipsOneIn: 7n } },
])('$name', ({ pace }) => {
  const chain = createMemoryChain('bitcoin_regtest', NOW, pace)
  describeHeaders(() => ({
    client: chain,
    mine: async (blocks) => chain.grow(blocks),
    ...(chain.chain.heightsMaySkip && { skip: () => chain.skip(1) }),
    async reorg(depth) {
      chain.drop(depth)
      chain.grow(depth + 1)
    },
  }))
})
