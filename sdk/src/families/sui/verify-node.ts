/** A Sui node before anybody pays. */
import type { HtlcContract } from '../../../../src/chains/sui/htlc.ts'
import { chainProblem } from '../../../../src/chains/sui/nodes/chain-problem.ts'
import type { Chain } from '../../../../src/protocol/chain.ts'
import { assertFreshTip } from '../clock.ts'
import type { Node } from '../family.ts'
import { assertNoProblem, assertThere } from '../node-problem.ts'
import { openNode } from './node.ts'

export async function verifyNode(chain: Chain, { registry }: HtlcContract, on: Node): Promise<void> {
  const node = openNode(on)
  assertNoProblem(await chainProblem(chain, node))
  assertFreshTip(chain, (await node.newestCheckpoint()).timeMs / 1000n)
  assertThere((await node.object(registry)) !== null, registry)
}
