/** What the payer must send or sign to fund a swap, with the node asked only about allowance and gas. */
import { type Address, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import type { Call, Funding, FundingRequest } from '../family.ts'
import type { ContractState } from './contract-state.ts'
import { fallbackGas, gasFor } from './gas.ts'
import { type HtlcContract, initiateData, initiateTypedData } from './htlc.ts'
import type { EvmNode } from './node.ts'

export async function fundingOf(node: EvmNode, state: ContractState, contract: HtlcContract, request: FundingRequest): Promise<Funding> {
  const { terms } = request
  const { chainId, token, address } = contract
  const payer = (request.delegate ?? terms.initiator).toLowerCase() as Address
  const data = initiateData(contract, terms, payer)

  async function call(to: Address, data: Hex, value: bigint, gas: 'estimate' | 'fallback', verb: 'approve' | 'initiate'): Promise<Call> {
    const gasLimit = gas === 'estimate' ? await gasFor(node, { from: payer, to, data, value }, verb) : fallbackGas[verb]
    return { chainId, to, data, value, gasLimit }
  }

  if (token === null) {
    return { kind: 'calls', approval: null, initiate: await call(address, data, terms.amount, 'estimate', 'initiate'), typedData: null }
  }
  const typedData = initiateTypedData(contract, terms)
  if ((await state.allowance(token, payer, address)) >= terms.amount) {
    return { kind: 'calls', approval: null, initiate: await call(address, data, 0n, 'estimate', 'initiate'), typedData }
  }
  // There is room for one approval. Tokens like USDT refuse it while a smaller allowance is left: the payer must reset that to zero first.
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [address, terms.amount] })
  return {
    kind: 'calls',
    approval: await call(token, approve, 0n, 'estimate', 'approve'),
    // It reverts until the approval is mined, so there is nothing to estimate.
    initiate: await call(address, data, 0n, 'fallback', 'initiate'),
    typedData,
  }
}
