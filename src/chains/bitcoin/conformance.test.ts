// The Bitcoin family on simulated regtest chains, through each of its adapters and both together.
import { describeConformance } from '../testing/conformance.ts'
import { conforming, conformingByIndex, createConformanceFixture, startSimulatedChain } from './bitcoin.fixture.ts'
import { startTestNode, stoppedAt } from './nodes/test-node.fixture.ts'

describeConformance('bitcoin through Bitcoin Core RPC', conforming, async () => {
  const chain = await startSimulatedChain()
  return createConformanceFixture(chain, { rpc: chain.endpoints.rpc ?? [] })
})

describeConformance('bitcoin through Esplora', conformingByIndex, async () => {
  const chain = await startSimulatedChain()
  return createConformanceFixture(chain, { esplora: chain.endpoints.esplora ?? [] })
})

describeConformance('bitcoin through both', conforming, async () => {
  const chain = await startSimulatedChain()
  return createConformanceFixture(chain, chain.endpoints)
})

describeConformance('bitcoin through three nodes, of which two must agree and one has stopped', conforming, async () => {
  const chain = await startSimulatedChain()
  const [rpc = ''] = chain.endpoints.rpc ?? []
  const [first, second] = [await startTestNode(rpc), await startTestNode(rpc)]
  const fixture = await createConformanceFixture(chain, { rpc: [first.url, second.url], esplora: chain.endpoints.esplora ?? [] }, 2)
  const { height, hash } = await fixture.client.tip()
  first.behave(stoppedAt({ height: Number(height), hash }))
  return {
    ...fixture,
    async close() {
      await fixture.close()
      await Promise.all([first.close(), second.close()])
    },
  }
})

describeConformance('litecoin through Litecoin Core RPC', conforming, async () => {
  const chain = await startSimulatedChain('litecoin:regtest')
  return createConformanceFixture(chain, { rpc: chain.endpoints.rpc ?? [] })
})

describeConformance('litecoin through Esplora', conformingByIndex, async () => {
  const chain = await startSimulatedChain('litecoin:regtest')
  return createConformanceFixture(chain, { esplora: chain.endpoints.esplora ?? [] })
})
