/** Makes the calls and typed data that fund a swap on Tron: decimal numbers, base58 addresses, and a fee limit in sun for each call. */

import type { FundingRequest } from '@tandem/chain-kit/port/client.ts'
import { isCallAccepted } from '@tandem/evm/server/approval.ts'
import type { ContractState } from '@tandem/evm/server/contract-state.ts'
import type { EvmNode } from '@tandem/evm/server/nodes/node.ts'
import { approvalCall } from '@tandem/evm/terms/approval-call.ts'
import { type HtlcContract, initiateData, revokeData } from '@tandem/evm/terms/htlc.ts'
import type { Call } from '@tandem/protocol/funding/calls.ts'
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import { type Address, maxUint256 } from 'viem'
import { fromEvmAddress, toEvmAddress } from '../terms/address.ts'
import { fallbackEnergy } from '../terms/fees/limits.ts'
import { evmTerms, tokenOf, tronTypedData } from '../terms/htlc.ts'
import type { WalletApi } from './nodes/wallet-api.ts'
import type { TronCall } from './send/raw-data.ts'

/** Tron has a `fee_limit` in sun in place of a gas limit. */
export async function fundingOf(
  node: EvmNode,
  api: WalletApi,
  state: ContractState,
  contract: HtlcContract,
  { terms, payer: named, approval }: FundingRequest,
): Promise<Funding> {
  const token = tokenOf(contract)
  const payer: Address = toEvmAddress(named ?? terms.initiator)
  const inner = evmTerms(terms)
  const priceSun = await api.energyPrice()
  const call = (verb: keyof typeof fallbackEnergy, { to, data }: Pick<TronCall, 'to' | 'data'>): Call => ({
    chainId: contract.chainId,
    to: fromEvmAddress(to),
    data,
    value: 0n,
    gasLimit: fallbackEnergy[verb] * priceSun,
  })
  const common = {
    kind: 'calls',
    numbers: 'decimal',
    initiate: call('initiate', { to: contract.address, data: initiateData(inner, payer) }),
    // A revocation writes one slot, as an approval does.
    revoke: call('approve', { to: contract.address, data: revokeData(inner) }),
    typedData: tronTypedData(contract, inner),
  } as const
  const allowance = await state.allowance(token, payer, contract.address)
  if (allowance >= terms.amount) return { ...common, approval: null }
  const wanted = approvalCall(token, contract.address, approval === 'unlimited' ? maxUint256 : terms.amount)
  const needsReset = allowance > 0n && !(await isCallAccepted(node, wanted, payer))
  return {
    ...common,
    ...(needsReset && { approvalReset: call('approve', approvalCall(token, contract.address, 0n)) }),
    approval: call('approve', wanted),
  }
}
