/** Builds the calls and typed data that fund a swap. Only the allowance is read from a node. */

import type { FundingRequest } from '@tandem/chain-kit/port/client.ts'
import type { FeltCall } from '@tandem/protocol/funding/felt-calls.ts'
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import type { Call } from '../contract/client/calls.ts'
import type { ContractState } from '../server/contract-state.ts'
import { addressOfFelt, feltOf } from './address.ts'
import { approvalCallOf, type HtlcContract, initiateCallOf, typedDataOf } from './htlc.ts'

/** This allows any amount: tokens do not subtract from the largest u256. */
const UNLIMITED = 2n ** 256n - 1n

export async function fundingOf(
  state: Pick<ContractState, 'allowance'>,
  contract: HtlcContract,
  request: FundingRequest,
): Promise<Funding<'feltCalls'>> {
  const { terms } = request
  const payer = request.payer ?? terms.initiator
  const allowance = await state.allowance(contract.token, feltOf(payer), contract.address)
  const approvalRequired = allowance < terms.amount
  // Clients in the field execute the approval without looking. One of what is allowed already takes nothing from other orders that wait for it.
  const amount = !approvalRequired ? allowance : request.approval === 'unlimited' ? UNLIMITED : terms.amount
  return {
    kind: 'feltCalls',
    approval: asWritten(approvalCallOf(contract, amount)),
    approvalRequired,
    initiate: asWritten(initiateCallOf(contract, terms, payer)),
    typedData: { ...typedDataOf(contract, terms) },
  }
}

function asWritten({ to, selector, calldata }: Call): FeltCall {
  return { to: addressOfFelt(to), selector, calldata }
}
