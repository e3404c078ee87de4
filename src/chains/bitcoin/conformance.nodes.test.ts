// The Bitcoin family against a real bitcoind.
import { describeWithNode } from '../../../test/nodes/describe-with-node.ts'
import { describeConformance } from '../conformance.ts'
import { createBitcoinHarness, startRealChain } from './bitcoin-fixture.ts'

await describeWithNode('bitcoind', 'bitcoin on a real node', () => {
  describeConformance('bitcoin through Bitcoin Core RPC', async () => {
    const chain = await startRealChain()
    return createBitcoinHarness(chain, chain.endpoints)
  })
})
