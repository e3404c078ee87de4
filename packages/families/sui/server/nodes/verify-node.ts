/** Checks that a node serves our network, that each registry is one of our package, and that each token is the asset's. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Contracts, HtlcContract } from '../../terms/htlc.ts'
import { chainProblem } from '../../terms/nodes/chain-problem.ts'
import type { Deployments } from '../deployments.ts'
import type { SuiNode } from './node.ts'

export async function verifyNode(chain: Chain, node: SuiNode, contracts: Contracts, deployments: Deployments): Promise<void> {
  const problem = await chainProblem(chain, node)
  if (problem !== null) throw new ChainFailure('would-fail', `${chain.id}: the node ${problem}`)
  for (const contract of contracts.all) {
    await deployments.of(contract)
    await verifyCoin(node, contract)
  }
}

export async function verifyCoin(
  node: Pick<SuiNode, 'decimals'>,
  { asset, coinType, decimals }: Pick<HtlcContract, 'asset' | 'coinType' | 'decimals'>,
): Promise<void> {
  const found = await node.decimals(coinType)
  const wrong = (what: string) => new ChainFailure('would-fail', `${coinType} is not the coin of ${asset}: ${what}`)
  if (found === null) throw wrong('there is no metadata of such a coin')
  if (found !== decimals) throw wrong(`expected ${decimals} decimals, it has ${found}`)
}
