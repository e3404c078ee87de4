/** Sets the token allowance that an HTLC needs (ERC-20 `approve`). Some tokens allow only certain changes of an allowance. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { type Address, type Hex, hexToBigInt, size, slice } from 'viem'
import { approvalCall } from '../terms/approval-call.ts'
import type { HtlcContract } from '../terms/htlc.ts'
import type { ContractState } from './contract-state.ts'
import type { EvmNode } from './nodes/node.ts'
import { asChainFailure, isRevert } from './send/revert.ts'
import type { TransactionCall } from './send/transaction.ts'

/**
 * The calls are in order, and none are needed if the allowance is there. `approved` is what they approve, in units of the token. Rejects with `would-fail`
 * when the sender holds too little.
 */
export async function missingApprovals(
  node: EvmNode,
  state: ContractState,
  { token, address: spender }: HtlcContract,
  { asset, amount }: HtlcTerms,
  sender: Address,
  approved: bigint,
): Promise<readonly TransactionCall[]> {
  const [balance, allowance] = await Promise.all([
    token === null ? node.balance(sender) : state.tokenBalance(token, sender),
    token === null ? amount : state.allowance(token, sender, spender),
  ])
  if (balance < amount) throw new ChainFailure('would-fail', `initiate: ${sender} holds ${balance} of ${asset}, needs ${amount}`)
  if (token === null || allowance >= amount) return []
  const approval = approvalCall(token, spender, approved)
  const needsReset = allowance > 0n && !(await isCallAccepted(node, approval, sender))
  return needsReset ? [approvalCall(token, spender, 0n), approval] : [approval]
}

/** USDT and similar tokens refuse to change one non-zero allowance to another: it must be reset to zero first. */
export async function isCallAccepted(node: EvmNode, call: TransactionCall, owner: Address, verb = 'approve'): Promise<boolean> {
  try {
    return !isFalse(await node.call({ ...call, from: owner }))
  } catch (error) {
    if (isRevert(error)) return false
    throw asChainFailure(error, verb)
  }
}

/** Some tokens return nothing, which counts as success. */
function isFalse(answer: Hex): boolean {
  return size(answer) >= 32 && hexToBigInt(slice(answer, 0, 32)) === 0n
}
