// Tests refunds from a refund package on real nodes.
import { afterAll, beforeAll, it } from 'vitest'
import { describeWithNode } from '../../../../../test/nodes/describe-with-node.ts'
import { regtestChain, startRealChain, type TestChain } from '../bitcoin.fixture.ts'
import { rescueTwoDeposits } from './rescue.fixture.ts'

for (const [name, reference] of [['bitcoind', 'bitcoin:regtest'] as const, ['litecoind', 'litecoin:regtest'] as const]) {
  await describeWithNode(name, `a refund package on a real ${name}`, () => {
    let node: TestChain
    beforeAll(async () => {
      node = await startRealChain(reference)
    })
    afterAll(() => node?.close())

    it('refunds two deposits, after their timelock and not before', () => rescueTwoDeposits(regtestChain(reference), node, node.endpoints))
  })
}
