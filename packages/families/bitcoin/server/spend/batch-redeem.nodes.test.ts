// Tests batch redeems and CPFP, against real nodes.
import { describeWithNode } from '../../../../../test/nodes/describe-with-node.ts'
import { networkOf } from '../../terms/networks.ts'
import { startRealChain } from '../bitcoin.fixture.ts'
import { describeSpends } from './spend.conformance.ts'
import { startSpendFixture } from './spend.fixture.ts'

await describeWithNode('bitcoind', 'spending bitcoin on a real node', () => {
  describeSpends('through Bitcoin Core RPC', networkOf('bitcoin:regtest'), async () => {
    const chain = await startRealChain()
    return startSpendFixture(chain, chain.endpoints)
  })
})

await describeWithNode('litecoind', 'spending litecoin on a real node', () => {
  describeSpends('through Litecoin Core RPC', networkOf('litecoin:regtest'), async () => {
    const chain = await startRealChain('litecoin:regtest')
    return startSpendFixture(chain, chain.endpoints)
  })
})
