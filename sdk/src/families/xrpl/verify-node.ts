/** A node of the XRP Ledger before anybody pays. Escrows are part of the ledger: there is no contract to look at. */
import { chainProblem } from '../../../../src/chains/xrpl/nodes/chain-problem.ts'
import type { Chain } from '../../../../src/protocol/chain.ts'
import { assertFreshTip } from '../clock.ts'
import type { Node } from '../family.ts'
import { assertNoProblem } from '../node-problem.ts'
import { networkId, newestLedger } from './find-escrow.ts'

export async function verifyNode(chain: Chain, node: Node): Promise<void> {
  assertNoProblem(await chainProblem(chain, { networkId: () => networkId(node) }))
  assertFreshTip(chain, (await newestLedger(node)).time)
}
