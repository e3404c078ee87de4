/** Makes the calls and typed data that fund a swap. The node is asked only for allowance and gas. */

import type { FundingRequest } from '@tandem/chain-kit/port/client.ts'
import type { Call } from '@tandem/protocol/funding/calls.ts'
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import { type Address, maxUint256 } from 'viem'
import { approvalCall } from '../terms/approval-call.ts'
import { type HtlcContract, initiateData, initiateTypedData, revokeData } from '../terms/htlc.ts'
import { isCallAccepted } from './approval.ts'
import type { ContractState } from './contract-state.ts'
import { fallbackGas, type GasAdvice } from './fees/gas.ts'
import type { EvmNode } from './nodes/node.ts'
import type { OneSignature } from './one-signature/one-signature.ts'
import type { TransactionCall } from './send/transaction.ts'

export type FundingSources = {
  readonly node: EvmNode
  readonly gas: GasAdvice
  readonly state: ContractState
  readonly ways: OneSignature
}

export async function fundingOf(
  { node, gas, state, ways }: FundingSources,
  contract: HtlcContract,
  request: FundingRequest,
): Promise<Funding> {
  const { terms } = request
  const { chainId, token, address } = contract
  const payer = (request.payer ?? terms.initiator).toLowerCase() as Address
  const data = initiateData(terms, payer)

  async function initiate(value: bigint): Promise<Call> {
    return { chainId, to: address, data, value, gasLimit: await gas.forPayer({ from: payer, to: address, data, value }, 'initiate') }
  }

  if (token === null) return { kind: 'calls', numbers: 'hex', approval: null, initiate: await initiate(terms.amount), typedData: null }
  const typedData = initiateTypedData(contract, terms)
  const revoking = { to: address, data: revokeData(terms), value: 0n }
  // The gas is estimated, because on some chains the data takes gas too.
  const [allowance, revokeGas] = await Promise.all([
    state.allowance(token, payer, address),
    gas.forPayer({ from: terms.initiator.toLowerCase() as Address, ...revoking }, 'revoke'),
  ])
  const revoke: Call = { chainId, ...revoking, gasLimit: revokeGas }
  if (allowance >= terms.amount) return { kind: 'calls', numbers: 'hex', approval: null, initiate: await initiate(0n), revoke, typedData }

  const approval = approvalCall(token, address, request.approval === 'unlimited' ? maxUint256 : terms.amount)
  // Only the initiator can sign, and only until the deadline.
  const offers = payer === terms.initiator.toLowerCase() ? await ways.offersOf(contract, terms, request.deadline) : []
  const needsReset = allowance > 0n && !(await isCallAccepted(node, approval, payer))
  const fixed = (call: TransactionCall): Call => ({ chainId, ...call, gasLimit: fallbackGas.approve })
  return {
    kind: 'calls',
    numbers: 'hex',
    // A call cannot be estimated while it would revert: the call before it must be mined first.
    ...(needsReset && { approvalReset: fixed(approvalCall(token, address, 0n)) }),
    approval: needsReset
      ? fixed(approval)
      : { chainId, ...approval, gasLimit: await gas.forPayer({ from: payer, ...approval }, 'approve') },
    initiate: { chainId, to: address, data, value: 0n, gasLimit: fallbackGas.initiate },
    revoke,
    typedData,
    offers,
  }
}
