/** Checks by the digest of its first checkpoint that a node serves our network. */
import type { Chain } from '@tandem/protocol/chain.ts'
import type { SuiNode } from '../../server/nodes/node.ts'

/** The first four bytes are the chain identifiers that Sui's documentation names: 35834a8a and 4c78adac. */
const genesisDigests: ReadonlyMap<string, string> = new Map([
  ['sui:mainnet', '4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S'],
  ['sui:testnet', '69WiPg3DAQiwdxfncX6wYQ2siKwAe6L9BZthQea3JNMD'],
])

/** The reference of other networks is the digest itself: `sui:<digest>`. */
export function genesisDigestOf({ reference }: Pick<Chain, 'reference'>): string {
  return genesisDigests.get(reference) ?? reference.replace(/^sui:/, '')
}

/** The result is a phrase whose subject is the node, or null if the node serves this network. */
export async function chainProblem(chain: Chain, node: Pick<SuiNode, 'chainId'>): Promise<string | null> {
  const [served, expected] = [await node.chainId(), genesisDigestOf(chain)]
  return served === expected ? null : `serves the network whose first checkpoint is ${served}, expected ${expected} (${chain.reference})`
}
