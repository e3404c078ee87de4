/** An Esplora server before anybody pays. HTLCs are addresses: there is no contract to look at. */

import { assertFreshTip } from '@tandem/chain-kit/browser/clock.ts'
import type { Node } from '@tandem/chain-kit/browser/family.ts'
import { assertNoProblem } from '@tandem/chain-kit/browser/node-problem.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { networkOf } from '../terms/networks.ts'
import { networkProblem } from '../terms/nodes/verify-network.ts'
import { hashAt, newestBlock } from './esplora.ts'

export async function verifyNode(chain: Chain, node: Node): Promise<void> {
  const genesisHash = async () => (await hashAt(node, 0)) ?? ''
  assertNoProblem(await networkProblem(networkOf(chain.reference), { genesisHash, secondHash: () => hashAt(node, 1) }))
  assertFreshTip(chain, (await newestBlock(node)).time)
}
