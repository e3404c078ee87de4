/** A Starknet node before anybody pays. */

import { assertFreshTip } from '@tandem/chain-kit/browser/clock.ts'
import type { Node } from '@tandem/chain-kit/browser/family.ts'
import { assertNoProblem } from '@tandem/chain-kit/browser/node-problem.ts'
import { jsonRpc } from '@tandem/chain-kit/browser/request.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcContract } from '../terms/htlc.ts'

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
