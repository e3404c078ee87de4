/** Asks every node of a chain by itself which network it is on, how far it has come and how far back it can tell. */
import type { Chain } from '../../../protocol/chain.ts'
import type { ProviderReport } from '../../port/abilities/inspect-providers.ts'
import { ChainFailure } from '../../port/failure.ts'
import type { BitcoinNetwork } from '../networks.ts'
import type { BitcoinNode } from './backend.ts'
import { ALLOWED_LAG, type BitcoinProvider } from './quorum-backend.ts'
import { networkProblem } from './verify-network.ts'

const WEEK_MS = 7n * 86_400_000n

type Look = Omit<ProviderReport, 'behind' | 'isLate'>

export async function inspectProviders(
  chain: Pick<Chain, 'blockMs'>,
  network: BitcoinNetwork,
  providers: readonly BitcoinProvider[],
): Promise<readonly ProviderReport[]> {
  const looks = await Promise.all(providers.map((provider) => lookAt(chain, network, provider)))
  const highest = looks.reduce((most, { height }) => (height > most ? height : most), 0n)
  return looks.map((look) => {
    const behind = look.error === null ? highest - look.height : 0n
    return { ...look, behind, isLate: behind > ALLOWED_LAG }
  })
}

async function lookAt({ blockMs }: Pick<Chain, 'blockMs'>, network: BitcoinNetwork, { name, node }: BitcoinProvider): Promise<Look> {
  try {
    const problem = await networkProblem(network, node)
    if (problem !== null) throw new ChainFailure('would-fail', problem)
    const { height } = await node.tip()
    return { name, error: null, height, hasOldEvents: await hasBlock(node, height - WEEK_MS / blockMs), tags: [] }
  } catch (error) {
    return { name, error: error instanceof Error ? error.message : String(error), height: 0n, hasOldEvents: false, tags: [] }
  }
}

/** A pruned node knows the header of a block that it does not have any more. */
async function hasBlock(node: BitcoinNode, height: bigint): Promise<boolean> {
  const block = await node.blockAt(height > 0n ? height : 0n)
  return block !== null && (await node.rawBlock(block.hash)) !== null
}
