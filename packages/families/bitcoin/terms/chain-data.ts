/**
 * All signets have the same block 0 (BIP325), and block 1 tells them apart. An operator names it where the registry does not know it. The chain carries that
 * hash as its family data.
 */
import type { FirstBlock } from '@tandem/chain-kit/port/family.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { type BitcoinNetwork, networkOf } from './networks.ts'

type Named = { readonly firstBlock?: string }

export const firstBlock: FirstBlock = {
  of: (chain) => (chain.familyData as Named | undefined)?.firstBlock ?? null,
  named(chain, hash) {
    const { name, firstBlockHash } = networkOf(chain.reference)
    if (firstBlockHash !== null) throw new Error(`a node of ${name} is verified without it: remove the setting`)
    if (!/^[0-9a-f]{64}$/.test(hash) || /^0+$/.test(hash))
      throw new Error('expected the hash of block 1 as nodes print it, 64 lower-case hex characters')
    const first: Named = { firstBlock: hash }
    return { ...chain, familyData: first }
  },
}

export function networkOfChain(chain: Pick<Chain, 'reference' | 'familyData'>): BitcoinNetwork {
  return withFirstBlock(networkOf(chain.reference), (chain.familyData as Named | undefined)?.firstBlock)
}

/** Only a network whose block 1 is unknown takes the hash. */
export function withFirstBlock(network: BitcoinNetwork, hash: string | undefined): BitcoinNetwork {
  return network.firstBlockHash !== null || hash === undefined ? network : { ...network, firstBlockHash: hash }
}
