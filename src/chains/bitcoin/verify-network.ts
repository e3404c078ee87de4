/** Whether a node is on the network that it should be on: told by blocks, which both kinds of node can be asked for. */
import type { Chain } from '../../protocol/chain.ts'
import { ChainFailure } from '../family.ts'
import type { BitcoinBackend } from './backend.ts'
import type { BitcoinNetwork } from './networks.ts'

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
  if (firstBlockHash === null) throw fail(`cannot be told from one of any other signet: block 1 of ${network.name} is not known here`)
  const first = await backend.blockAt(1n)
  if (first === null) throw fail('has no block 1 yet, by which signets are told apart')
  if (first.hash !== firstBlockHash) throw fail(`is on another signet than ${network.name}: its block 1 is ${first.hash}`)
}
