/** Whether a node is on the network that it should be on: told by blocks, which both kinds of node can be asked for. */
import type { Chain } from '../../../protocol/chain.ts'
import { ChainFailure } from '../../port/failure.ts'
import { type BitcoinNetwork, networkOf } from '../networks.ts'
import type { BitcoinBackend } from './backend.ts'

/** Throws for a network whose nodes nobody here could tell from others, so that nobody configures it. */
export function verifiableNetwork(reference: string): BitcoinNetwork {
  const network = networkOf(reference)
  if (network.firstBlockHash === null)
    throw new Error(`a node of ${network.name} cannot be told from one of any other signet: its block 1 is not known here`)
  return network
}

export async function verifyNetwork(
  chain: Pick<Chain, 'id'>,
  network: BitcoinNetwork,
  backend: Pick<BitcoinBackend, 'genesisHash' | 'blockAt'>,
): Promise<void> {
  const fail = (reason: string) => new ChainFailure('would-fail', `the node of ${chain.id} ${reason}`)
  const genesisHash = await backend.genesisHash()
  if (genesisHash !== network.genesisHash)
    throw fail(`is on another network than ${network.coin} ${network.name}: its first block is ${genesisHash}`)
  const { firstBlockHash } = network
  if (firstBlockHash === undefined) return
  const first = await backend.blockAt(1n)
  if (first === null) throw fail('has no block 1 yet, by which signets are told apart')
  if (first.hash !== firstBlockHash) throw fail(`is on another signet than ${network.name}: its block 1 is ${first.hash}`)
}
