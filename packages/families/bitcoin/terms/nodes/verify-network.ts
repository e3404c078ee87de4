/** Checks that a node is on our network by its first blocks, which both kinds of node serve. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { BitcoinNode } from '../../server/nodes/backend.ts'
import { networkOfChain } from '../chain-data.ts'
import type { BitcoinNetwork } from '../networks.ts'

/** A configuration with a network whose nodes cannot be verified fails at the start. */
export function verifiableNetwork(chain: Pick<Chain, 'reference' | 'familyData'>): BitcoinNetwork {
  const network = networkOfChain(chain)
  if (network.firstBlockHash === null)
    throw new Error(
      `a node of ${network.name} cannot be distinguished from one of another signet: its block 1 is unknown; name it in first_block_hash`,
    )
  return network
}

export async function verifyNetwork(chain: Pick<Chain, 'id'>, network: BitcoinNetwork, node: Identified): Promise<void> {
  const problem = await networkProblem(network, node)
  if (problem !== null) throw new ChainFailure('would-fail', `the node of ${chain.id} ${problem}`)
}

type Identified = Pick<BitcoinNode, 'genesisHash' | 'secondHash'>

export async function networkProblem(network: BitcoinNetwork, node: Identified): Promise<string | null> {
  const genesisHash = await node.genesisHash()
  if (genesisHash !== network.genesisHash)
    return `is on another network than ${network.coin} ${network.name}: its first block is ${genesisHash}`
  const { firstBlockHash } = network
  if (firstBlockHash === undefined) return null
  const first = await node.secondHash()
  if (first === null) return 'has no block 1 yet, which identifies a signet'
  return first === firstBlockHash ? null : `is on another signet than ${network.name}: its block 1 is ${first}`
}
