/** An Esplora server before anybody pays. HTLCs are addresses: there is no contract to look at. */
import { networkOf } from '../../../../src/chains/bitcoin/networks.ts'
import { networkProblem } from '../../../../src/chains/bitcoin/nodes/verify-network.ts'
import type { Chain } from '../../../../src/protocol/chain.ts'
import { assertFreshTip } from '../clock.ts'
import type { Node } from '../family.ts'
import { assertNoProblem } from '../node-problem.ts'
import { hashAt, newestBlock } from './esplora.ts'

export async function verifyNode(chain: Chain, node: Node): Promise<void> {
  const genesisHash = async () => (await hashAt(node, 0)) ?? ''
  assertNoProblem(await networkProblem(networkOf(chain.reference), { genesisHash, secondHash: () => hashAt(node, 1) }))
  assertFreshTip(chain, (await newestBlock(node)).time)
}
