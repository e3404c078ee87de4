/** Verifies an EVM node, or the JSON-RPC of Tron, before anybody pays. */

import { assertFreshTip } from '@tandem/chain-kit/browser/clock.ts'
import type { Node } from '@tandem/chain-kit/browser/family.ts'
import { assertNoProblem, assertThere } from '@tandem/chain-kit/browser/node-error.ts'
import { jsonRpc } from '@tandem/chain-kit/browser/request.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Hex } from 'viem'
import type { HtlcContract } from '../terms/htlc.ts'
import { chainProblem } from '../terms/nodes/chain-problem.ts'

/** `path` is the path of the JSON-RPC below the node's URL. */
export async function verifyNode(chain: Chain, { address }: HtlcContract, node: Node, path = ''): Promise<void> {
  const chainId = async () => BigInt((await jsonRpc(node, 'eth_chainId', [], path)) as Hex)
  assertNoProblem(await chainProblem(chain, { chainId }))
  const { timestamp } = (await jsonRpc(node, 'eth_getBlockByNumber', ['latest', false], path)) as { readonly timestamp: Hex }
  assertFreshTip(chain, BigInt(timestamp))
  assertThere((await jsonRpc(node, 'eth_getCode', [address, 'latest'], path)) !== '0x', address)
}
