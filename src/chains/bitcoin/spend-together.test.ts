// Redeems of several HTLCs and what a child pays for, on the simulated chains.
import { startSimulatedChain } from './bitcoin-fixture.ts'
import { networkOf } from './networks.ts'
import { describeSpends } from './spend-conformance.ts'
import { startSpendScene } from './spend-scene.ts'

describeSpends('spending through Bitcoin Core RPC', networkOf('bitcoin:regtest'), async () => {
  const chain = await startSimulatedChain()
  return startSpendScene(chain, { rpc: chain.endpoints.rpc ?? '' })
})

describeSpends('spending through Esplora', networkOf('bitcoin:regtest'), async () => {
  const chain = await startSimulatedChain()
  return startSpendScene(chain, { esplora: chain.endpoints.esplora ?? '' })
})

describeSpends('spending litecoin', networkOf('litecoin:regtest'), async () => {
  const chain = await startSimulatedChain('litecoin:regtest')
  return startSpendScene(chain, { rpc: chain.endpoints.rpc ?? '' })
})
