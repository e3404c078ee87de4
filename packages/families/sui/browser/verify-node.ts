/** A Sui node before anybody pays. */

import { assertFreshTip } from '@tandem/chain-kit/browser/clock.ts'
import type { Node } from '@tandem/chain-kit/browser/family.ts'
import { assertNoProblem, assertThere } from '@tandem/chain-kit/browser/node-problem.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcContract } from '../terms/htlc.ts'
import { chainProblem } from '../terms/nodes/chain-problem.ts'
import { openNode } from './node.ts'

export async function verifyNode(chain: Chain, { registry }: HtlcContract, on: Node): Promise<void> {
  const node = openNode(on)
  assertNoProblem(await chainProblem(chain, node))
  assertFreshTip(chain, (await node.newestCheckpoint()).timeMs / 1000n)
  assertThere((await node.object(registry)) !== null, registry)
}
