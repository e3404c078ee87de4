// The Bitcoin family on simulated regtest chains, through each of its adapters and both together.
import { describeConformance } from '../testing/conformance.ts'
import { createBitcoinHarness, startSimulatedChain } from './bitcoin.fixture.ts'
import { startTestNode, stoppedAt } from './nodes/test-node.fixture.ts'

describeConformance('bitcoin through Bitcoin Core RPC', async () => {
  const chain = await startSimulatedChain()
  return createBitcoinHarness(chain, { rpc: chain.endpoints.rpc ?? [] })
})

describeConformance('bitcoin through Esplora', async () => {
  const chain = await startSimulatedChain()
  return createBitcoinHarness(chain, { esplora: chain.endpoints.esplora ?? [] })
})

describeConformance('bitcoin through both', async () => {
  const chain = await startSimulatedChain()
  return createBitcoinHarness(chain, chain.endpoints)
})

describeConformance('bitcoin through three nodes, of which two must agree and one has stopped', async () => {
  const chain = await startSimulatedChain()
  const [rpc = ''] = chain.endpoints.rpc ?? []
  const [first, second] = [await startTestNode(rpc), await startTestNode(rpc)]
  const harness = await createBitcoinHarness(chain, { rpc: [first.url, second.url], esplora: chain.endpoints.esplora ?? [] }, 2)
  const { height, hash } = await harness.client.tip()
  first.behave(stoppedAt({ height: Number(height), hash }))
  return {
    ...harness,
    async close() {
      await harness.close()
      await Promise.all([first.close(), second.close()])
    },
  }
})

describeConformance('litecoin through Litecoin Core RPC', async () => {
  const chain = await startSimulatedChain('litecoin:regtest')
  return createBitcoinHarness(chain, { rpc: chain.endpoints.rpc ?? [] })
})

describeConformance('litecoin through Esplora', async () => {
  const chain = await startSimulatedChain('litecoin:regtest')
  return createBitcoinHarness(chain, { esplora: chain.endpoints.esplora ?? [] })
})
