// Tests the Bitcoin family on simulated regtest chains: each network as a whole, and then through every other kind and number of nodes.
import { describeConformance } from '@tandem/chain-kit/testing/conformance.ts'
import { expect, vi } from 'vitest'
import { conforming, conformingByIndex, createConformanceFixture, type RegtestReference, startSimulatedChain } from './bitcoin.fixture.ts'
import { startTestNode, stoppedAt } from './nodes/test-node.fixture.ts'

describeConformance('bitcoin through Bitcoin Core RPC', conforming, async () => {
  const chain = await startSimulatedChain()
  return createConformanceFixture(chain, { rpc: chain.endpoints.rpc ?? [] })
})

const throughEsplora = async (reference: RegtestReference) => {
  const chain = await startSimulatedChain(reference)
  return createConformanceFixture(chain, { esplora: chain.endpoints.esplora ?? [] })
}

describeConformance('bitcoin through Esplora', conformingByIndex, () => throughEsplora('bitcoin:regtest'), 'nodes')

describeConformance(
  'bitcoin through both',
  conforming,
  async () => {
    const chain = await startSimulatedChain()
    return createConformanceFixture(chain, chain.endpoints)
  },
  'nodes',
)

describeConformance(
  'bitcoin through three nodes, of which two must agree and one has stopped',
  conforming,
  async () => {
    const chain = await startSimulatedChain()
    const [rpc = ''] = chain.endpoints.rpc ?? []
    const [first, second] = [await startTestNode(rpc), await startTestNode(rpc)]
    const fixture = await createConformanceFixture(chain, { rpc: [first.url, second.url], esplora: chain.endpoints.esplora ?? [] }, 2)
    const { height, hash } = await fixture.client.tip()
    first.behave(stoppedAt({ height: Number(height), hash }))
    /** On a busy machine two nodes may agree on the older block. That delays the answer and does not change it. */
    const caughtUp = () =>
      vi.waitFor(async () => expect((await fixture.client.tip()).hash).toBe(await chain.rpc('getbestblockhash', [])), { timeout: 60_000 })
    return {
      ...fixture,
      async mine(blocks) {
        await fixture.mine(blocks)
        await caughtUp()
      },
      async reorg(depth, options) {
        await fixture.reorg(depth, options)
        await caughtUp()
      },
      async close() {
        await fixture.close()
        await Promise.all([first.close(), second.close()])
      },
    }
  },
  'nodes',
)

describeConformance('litecoin through Litecoin Core RPC', conforming, async () => {
  const chain = await startSimulatedChain('litecoin:regtest')
  return createConformanceFixture(chain, { rpc: chain.endpoints.rpc ?? [] })
})

describeConformance('litecoin through Esplora', conformingByIndex, () => throughEsplora('litecoin:regtest'), 'nodes')
