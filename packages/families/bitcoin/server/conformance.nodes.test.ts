// Tests the Bitcoin family against a real bitcoind and a real litecoind, in what depends on the node.
import { describeConformance } from '@tandem/chain-kit/testing/conformance.ts'
import { describeWithNode } from '../../../../test/nodes/describe-with-node.ts'
import { conforming, createConformanceFixture, startRealChain } from './bitcoin.fixture.ts'

await describeWithNode('bitcoind', 'bitcoin on a real node', () => {
  describeConformance(
    'bitcoin through Bitcoin Core RPC',
    conforming,
    async () => {
      const chain = await startRealChain()
      return createConformanceFixture(chain, chain.endpoints)
    },
    'real-nodes',
  )
})

await describeWithNode('litecoind', 'litecoin on a real node', () => {
  describeConformance(
    'litecoin through Litecoin Core RPC',
    conforming,
    async () => {
      const chain = await startRealChain('litecoin:regtest')
      return createConformanceFixture(chain, chain.endpoints)
    },
    'real-nodes',
  )
})
