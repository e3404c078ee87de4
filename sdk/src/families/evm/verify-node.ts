/** An EVM node, or the JSON-RPC of Tron, before anybody pays. */
import type { Hex } from 'viem'
import type { HtlcContract } from '../../../../src/chains/evm/htlc.ts'
import { chainProblem } from '../../../../src/chains/evm/nodes/chain-problem.ts'
import type { Chain } from '../../../../src/protocol/chain.ts'
import { assertFreshTip } from '../clock.ts'
import type { Node } from '../family.ts'
import { assertNoProblem, assertThere } from '../node-problem.ts'
import { jsonRpc } from '../request.ts'

/** `path`: of the JSON-RPC below the node's URL. */
export async function verifyNode(chain: Chain, { address }: HtlcContract, node: Node, path = ''): Promise<void> {
  const chainId = async () => BigInt((await jsonRpc(node, 'eth_chainId', [], path)) as Hex)
  assertNoProblem(await chainProblem(chain, { chainId }))
  const { timestamp } = (await jsonRpc(node, 'eth_getBlockByNumber', ['latest', false], path)) as { readonly timestamp: Hex }
  assertFreshTip(chain, BigInt(timestamp))
  assertThere((await jsonRpc(node, 'eth_getCode', [address, 'latest'], path)) !== '0x', address)
}
