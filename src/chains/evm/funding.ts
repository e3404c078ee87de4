/** What the payer must send or sign to fund a swap, with the node asked only about allowance and gas. */
import { type Address, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import type { Call, Funding, FundingRequest } from '../family.ts'
import type { ContractState } from './contract-state.ts'
import { fallbackGas, type GasAdvice } from './gas.ts'
import { type HtlcContract, initiateData, initiateTypedData } from './htlc.ts'

export async function fundingOf(gas: GasAdvice, state: ContractState, contract: HtlcContract, request: FundingRequest): Promise<Funding> {
  const { terms } = request
  const { chainId, token, address } = contract
  const payer = (request.delegate ?? terms.initiator).toLowerCase() as Address
  const data = initiateData(terms, payer)

  async function call(verb: 'approve' | 'initiate', to: Address, data: Hex, value: bigint): Promise<Call> {
    return { chainId, to, data, value, gasLimit: await gas.forPayer({ from: payer, to, data, value }, verb) }
  }

  if (token === null) {
    return { kind: 'calls', numbers: 'hex', approval: null, initiate: await call('initiate', address, data, terms.amount), typedData: null }
  }
  const typedData = initiateTypedData(contract, terms)
  if ((await state.allowance(token, payer, address)) >= terms.amount) {
    return { kind: 'calls', numbers: 'hex', approval: null, initiate: await call('initiate', address, data, 0n), typedData }
  }
  // There is room for one approval. Tokens like USDT refuse it while a smaller allowance is left: the payer must reset that to zero first.
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [address, terms.amount] })
  return {
    kind: 'calls',
    numbers: 'hex',
    approval: await call('approve', token, approve, 0n),
    // It reverts until the approval is mined, so there is nothing to estimate.
    initiate: { chainId, to: address, data, value: 0n, gasLimit: fallbackGas.initiate },
    typedData,
  }
}
