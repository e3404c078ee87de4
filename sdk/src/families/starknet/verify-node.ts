/** A Starknet node before anybody pays. */
import type { HtlcContract } from '../../../../src/chains/starknet/htlc.ts'
import type { Chain } from '../../../../src/protocol/chain.ts'
import { assertFreshTip } from '../clock.ts'
import type { Node } from '../family.ts'
import { assertNoProblem } from '../node-problem.ts'
import { jsonRpc } from '../request.ts'

export async function verifyNode(chain: Chain, { address, chainId }: HtlcContract, node: Node): Promise<void> {
  const served = String(await jsonRpc(node, 'starknet_chainId', {}))
  assertNoProblem(
    BigInt(served) === BigInt(chainId) ? null : `serves the chain with the id ${served}, expected ${chainId} (${chain.reference})`,
  )
  const { timestamp } = (await jsonRpc(node, 'starknet_getBlockWithTxHashes', { block_id: 'latest' })) as { readonly timestamp: number }
  assertFreshTip(chain, BigInt(timestamp))
  // An error, if there is none.
  await jsonRpc(node, 'starknet_getClassHashAt', { block_id: 'latest', contract_address: address })
}
