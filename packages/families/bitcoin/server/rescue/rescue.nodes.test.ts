// Tests refunds from a refund package on real nodes.
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { it } from 'vitest'
import { describeWithNode } from '../../../../../test/nodes/describe-with-node.ts'
import { regtestChain, startRealChain } from '../bitcoin.fixture.ts'
import { rescueTwoDeposits } from './rescue.fixture.ts'

for (const [name, reference] of [['bitcoind', 'bitcoin:regtest'] as const, ['litecoind', 'litecoin:regtest'] as const]) {
  await describeWithNode(name, `a refund package on a real ${name}`, () => {
    const node = opened(() => startRealChain(reference))

    it('refunds two deposits, after their timelock and not before', () => rescueTwoDeposits(regtestChain(reference), node, node.endpoints))
  })
}
