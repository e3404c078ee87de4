/** Reads an HTLC over the JSON-RPC of an EVM node, or of Tron. */

import { depthOf, latestTime } from '@tandem/chain-kit/browser/clock.ts'
import type { Lock, Node, Settled } from '@tandem/chain-kit/browser/family.ts'
import { jsonRpc } from '@tandem/chain-kit/browser/request.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { encodeFunctionData, type Hex } from 'viem'
import { htlcErc20 } from '../contract/artifacts/htlc-erc20.ts'
import { type HtlcContract, orderIdOf } from '../terms/htlc.ts'

/** A slot holds one of these marks once its order is settled, and the time of its block before that: see `Htlc.sol`. */
const REDEEMED = 1n
const REFUNDED = 2n

type Block = { readonly number: Hex; readonly timestamp: Hex }

/** The order id binds chain, contract and every term: a lock with another term is another order. `path` is below the node's URL. */
export async function readLock(contract: HtlcContract, terms: HtlcTerms, node: Node, path = ''): Promise<Lock | null> {
  const blockAt = async (block: Hex | 'latest') => (await jsonRpc(node, 'eth_getBlockByNumber', [block, false], path)) as Block
  // The block is read first: the state is of this block or of a later one, so the depth is never too large.
  const { number, timestamp } = await blockAt('latest')
  const startedAt = await slotOf(contract, terms, node, path)
  if (startedAt <= REFUNDED) return null
  const timeAt = async (height: bigint) => BigInt((await blockAt(`0x${height.toString(16)}`)).timestamp)
  return {
    confirmations: await depthOf(startedAt, BigInt(number), timeAt),
    unitsLeft: startedAt + terms.timelock - latestTime(BigInt(timestamp)),
  }
}

export async function settledAs(contract: HtlcContract, terms: HtlcTerms, node: Node, path = ''): Promise<Settled> {
  const slot = await slotOf(contract, terms, node, path)
  return slot === REDEEMED ? 'redeemed' : slot === REFUNDED ? 'refunded' : 'none'
}

async function slotOf(contract: HtlcContract, terms: HtlcTerms, node: Node, path: string): Promise<bigint> {
  const data = encodeFunctionData({ abi: htlcErc20.abi, functionName: 'initiatedAt', args: [orderIdOf(contract, terms)] })
  const answer = (await jsonRpc(node, 'eth_call', [{ to: contract.address, data }, 'latest'], path)) as string
  return BigInt(answer === '0x' ? 0 : answer)
}
