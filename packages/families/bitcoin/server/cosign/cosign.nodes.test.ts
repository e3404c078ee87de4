// Tests co-signed spends against real nodes.
import { describeWithNode } from '../../../../../test/nodes/describe-with-node.ts'
import { startRealChain } from '../bitcoin.fixture.ts'
import { describeCosigning } from './cosign.conformance.ts'

await describeWithNode('bitcoind', 'spends by both parties on a real bitcoind', () => {
  describeCosigning('on bitcoin', () => startRealChain())
})

await describeWithNode('litecoind', 'spends by both parties on a real litecoind', () => {
  describeCosigning('on litecoin', () => startRealChain('litecoin:regtest'))
})
