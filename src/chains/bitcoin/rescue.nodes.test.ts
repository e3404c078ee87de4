// Refunds from a refund package, accepted by the nodes whose reading of the scripts counts.
import { afterAll, beforeAll, it } from 'vitest'
import { describeWithNode } from '../../../test/nodes/describe-with-node.ts'
import { regtestChain, startRealChain, type TestChain } from './bitcoin-fixture.ts'
import { rescueTwoDeposits } from './rescue-scene.ts'

await describeWithNode('bitcoind', 'a refund package on a real node', () => {
  let node: TestChain
  beforeAll(async () => {
    node = await startRealChain()
  })
  afterAll(() => node?.close())

  it('brings two deposits back, after their timelock and not before', () => rescueTwoDeposits(regtestChain(), node, node.endpoints))
})
