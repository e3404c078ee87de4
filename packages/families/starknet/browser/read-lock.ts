/** Reads an HTLC over the JSON-RPC of a Starknet node. */

import { depthOf, latestTime } from '@tandem/chain-kit/browser/clock.ts'
import type { Lock, Node, Settled } from '@tandem/chain-kit/browser/family.ts'
import { jsonRpc } from '@tandem/chain-kit/browser/request.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { initiatedAtCall } from '../contract/client/calls.ts'
import { orderMarks } from '../contract/client/order.ts'
import { type HtlcContract, orderIdOf } from '../terms/htlc.ts'

type BlockId = 'latest' | { readonly block_number: number }
/** Pre-confirmed blocks are not asked for: they may still change. */
type Block = { readonly block_number: number; readonly timestamp: number }

/** The id of the order binds chain, contract and every term: a lock with another term is another order. */
export async function readLock(contract: HtlcContract, terms: HtlcTerms, node: Node): Promise<Lock | null> {
  const blockAt = async (block_id: BlockId) => (await jsonRpc(node, 'starknet_getBlockWithTxHashes', { block_id })) as Block
  // The block first: the state is of this one or of a later one, so the depth is never too large.
  const newest = await blockAt('latest')
  const startedAt = await initiatedAt(contract, terms, node)
  // The marks of settled orders are the smallest numbers.
  if (startedAt <= orderMarks.refunded) return null
  const timeAt = async (height: bigint) => BigInt((await blockAt({ block_number: Number(height) })).timestamp)
  return {
    confirmations: await depthOf(startedAt, BigInt(newest.block_number), timeAt),
    unitsLeft: startedAt + terms.timelock - latestTime(BigInt(newest.timestamp)),
  }
}

export async function settledAs(contract: HtlcContract, terms: HtlcTerms, node: Node): Promise<Settled> {
  const mark = await initiatedAt(contract, terms, node)
  return mark === orderMarks.redeemed ? 'redeemed' : mark === orderMarks.refunded ? 'refunded' : 'none'
}

async function initiatedAt(contract: HtlcContract, terms: HtlcTerms, node: Node): Promise<bigint> {
  const { to, selector, calldata } = initiatedAtCall(contract.address, orderIdOf(contract, terms))
  const request = { contract_address: to, entry_point_selector: selector, calldata }
  const answer = (await jsonRpc(node, 'starknet_call', { request, block_id: 'latest' })) as readonly string[]
  return BigInt(answer[0] ?? 0)
}
