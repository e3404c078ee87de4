/** The allowance that an HTLC needs to take a token (ERC-20 `approve`), where tokens differ in what they let their owner change. */
import { type Address, encodeFunctionData, erc20Abi, type Hex, hexToBigInt, size, slice } from 'viem'
import type { EvmNode } from './nodes/node.ts'
import { asChainFailure, isRevert } from './send/revert.ts'
import type { TransactionCall } from './send/transaction.ts'

export function approvalCall(token: Address, spender: Address, amount: bigint): TransactionCall {
  return { to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] }), value: 0n }
}

/** USDT and its likes refuse to change an allowance that is not zero to another that is not: it must be reset first. */
export async function isApprovalTaken(node: EvmNode, call: TransactionCall, owner: Address): Promise<boolean> {
  try {
    return !isNo(await node.call({ ...call, from: owner }))
  } catch (error) {
    if (isRevert(error)) return false
    throw asChainFailure(error, 'approve')
  }
}

/** Some tokens answer nothing at all, which is no refusal. */
function isNo(answer: Hex): boolean {
  return size(answer) >= 32 && hexToBigInt(slice(answer, 0, 32)) === 0n
}
