// Redeems of several HTLCs and what a child pays for, on the simulated chains.
import { startSimulatedChain } from './bitcoin-fixture.ts'
import { describeSpends } from './spend-conformance.ts'
import { startSpendScene } from './spend-scene.ts'

describeSpends('spending through Bitcoin Core RPC', async () => {
  const chain = await startSimulatedChain()
  return startSpendScene(chain, { rpc: chain.endpoints.rpc ?? '' })
})

describeSpends('spending through Esplora', async () => {
  const chain = await startSimulatedChain()
  return startSpendScene(chain, { esplora: chain.endpoints.esplora ?? '' })
})
