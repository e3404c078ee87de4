/** Checks by its genesis hash that a node serves our cluster. */
import type { Chain } from '@tandem/protocol/chain.ts'
import type { SolanaNode } from '../../server/nodes/node.ts'

const genesisHashes: ReadonlyMap<string, string> = new Map([
  ['solana:mainnet', '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'],
  ['solana:devnet', 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'],
])

/** The reference of other clusters is the hash itself: `solana:<genesis hash>`. */
export function genesisHashOf({ reference }: Pick<Chain, 'reference'>): string {
  return genesisHashes.get(reference) ?? reference.replace(/^solana:/, '')
}

/** The result is a phrase whose subject is the node, or null if the node serves this cluster. */
export async function chainProblem(chain: Chain, node: Pick<SolanaNode, 'genesisHash'>): Promise<string | null> {
  const [served, expected] = [await node.genesisHash(), genesisHashOf(chain)]
  return served === expected ? null : `serves the cluster with genesis hash ${served}, expected ${expected} (${chain.reference})`
}
