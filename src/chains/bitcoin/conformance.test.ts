// The Bitcoin family on simulated regtest chains, through each of its adapters and both together.
import { describeConformance } from '../testing/conformance.ts'
import { createBitcoinHarness, startSimulatedChain } from './bitcoin.fixture.ts'

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

describeConformance('litecoin through Litecoin Core RPC', async () => {
  const chain = await startSimulatedChain('litecoin:regtest')
  return createBitcoinHarness(chain, { rpc: chain.endpoints.rpc ?? [] })
})

describeConformance('litecoin through Esplora', async () => {
  const chain = await startSimulatedChain('litecoin:regtest')
  return createBitcoinHarness(chain, { esplora: chain.endpoints.esplora ?? [] })
})
