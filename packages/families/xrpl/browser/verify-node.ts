/** A node of the XRP Ledger before anybody pays. Escrows are part of the ledger: there is no contract to look at. */

import { assertFreshTip } from '@tandem/chain-kit/browser/clock.ts'
import type { Node } from '@tandem/chain-kit/browser/family.ts'
import { assertNoProblem } from '@tandem/chain-kit/browser/node-problem.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { chainProblem } from '../terms/nodes/chain-problem.ts'
import { networkId, newestLedger } from './find-escrow.ts'

export async function verifyNode(chain: Chain, node: Node): Promise<void> {
  assertNoProblem(await chainProblem(chain, { networkId: () => networkId(node) }))
  assertFreshTip(chain, (await newestLedger(node)).time)
}
