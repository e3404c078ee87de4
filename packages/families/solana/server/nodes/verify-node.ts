/** Checks that a node serves our cluster, that the program there is ours, and that each token is the asset's. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Contracts } from '../../terms/htlc.ts'
import { chainProblem } from '../../terms/nodes/chain-problem.ts'
import { verifyMint } from '../deploy/verify-mint.ts'
import { verifyProgram } from '../deploy/verify-program.ts'
import type { SolanaNode } from './node.ts'

export async function verifyNode(chain: Chain, node: SolanaNode, contracts: Contracts): Promise<void> {
  const problem = await chainProblem(chain, node)
  if (problem !== null) throw new ChainFailure('would-fail', `${chain.id}: the node ${problem}`)
  for (const program of new Set(contracts.all.map((contract) => contract.program))) await verifyProgram(node, program)
  for (const { asset, mint, decimals } of contracts.all) if (mint !== null) await verifyMint(node, { id: asset, decimals }, mint)
}
