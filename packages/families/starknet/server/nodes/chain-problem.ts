/** Checks by its chain id that a node serves our chain, and that it has a supported version of the JSON-RPC. */
import type { Chain } from '@tandem/protocol/chain.ts'
import type { StarknetNode } from './node.ts'

/** This is the first version with pre-confirmed blocks and the tag `l1_accepted`. */
const OLDEST_MINOR = 9

/** The result is a phrase whose subject is the node, or null if the node serves this chain. */
export async function chainProblem(chain: Chain, node: Pick<StarknetNode, 'chainId' | 'specVersion'>): Promise<string | null> {
  const [served, version] = await Promise.all([node.chainId(), node.specVersion()])
  if (`starknet:${served}` !== chain.reference) return `serves starknet:${served}, expected ${chain.reference}`
  const minor = /^0\.([0-9]{1,3})\./.exec(version)?.[1]
  if (minor !== undefined && Number(minor) >= OLDEST_MINOR) return null
  return `speaks version ${version.slice(0, 20)} of Starknet's JSON-RPC, expected 0.${OLDEST_MINOR} or newer: providers name it in the path, e.g. /rpc/v0_9`
}
