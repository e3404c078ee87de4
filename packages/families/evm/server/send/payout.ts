/** Simulates a payout without the secret: the HTLC sends the same transfer. `payout-trial.ts` makes the last check. */

import { type ChainFailure, payoutRefused } from '@tandem/chain-kit/port/failure.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { encodeFunctionData, erc20Abi, type Hex, hexToBigInt, prepareEncodeFunctionData, size } from 'viem'
import { canonicalTerms, type HtlcContract } from '../../terms/htlc.ts'
import { dataGasOf } from '../fees/data-fee.ts'
import { MAX_PAYOUT_GAS } from '../fees/gas.ts'
import type { EvmNode, NodeCall } from '../nodes/node.ts'
import { asChainFailure, isOutOfGas, isRevert, revertReason } from './revert.ts'

/** Throws `would-fail` if the payout cannot succeed, or takes more gas than we pay for. */
export async function verifyPayout(node: EvmNode, chain: Chain, contract: HtlcContract, terms: HtlcTerms): Promise<void> {
  const transfer = transferOf(contract, terms)
  const [, gas] = await Promise.all([tryTransfer(node, contract, terms), orChainFailure(() => node.estimateGas(transfer), terms)])
  if (gas <= MAX_PAYOUT_GAS) return
  // Data gas does not count against the recipient, which does not cause it.
  const limit = MAX_PAYOUT_GAS + (await dataGasOf(node, chain, { to: transfer.to, data: transfer.data ?? '0x' }))
  if (gas > limit) throw payoutFailure(terms, `it would take ${gas} gas, and we pay for ${limit}`)
}

export async function tryTransfer(node: EvmNode, contract: HtlcContract, terms: HtlcTerms): Promise<void> {
  const answer = await orChainFailure(() => node.call(transferOf(contract, terms)), terms)
  if (contract.token !== null && !isAccepted(answer)) throw payoutFailure(terms, 'the token answered false')
}

const transfer = prepareEncodeFunctionData({ abi: erc20Abi, functionName: 'transfer' })

function transferOf({ address, token }: HtlcContract, terms: HtlcTerms): NodeCall {
  const { redeemer, amount } = canonicalTerms(terms)
  if (token === null) return { from: address, to: redeemer, value: amount }
  return { from: address, to: token, data: encodeFunctionData({ ...transfer, args: [redeemer, amount] }) }
}

async function orChainFailure<T>(request: () => Promise<T>, terms: HtlcTerms): Promise<T> {
  try {
    return await request()
  } catch (error) {
    throw payoutProblem(error, terms)
  }
}

export function payoutProblem(error: unknown, terms: HtlcTerms): unknown {
  if (isRevert(error)) return payoutFailure(terms, revertReason(error))
  return isOutOfGas(error) ? payoutFailure(terms, error.message) : asChainFailure(error, payoutOf(terms))
}

export function payoutFailure(terms: HtlcTerms, why: string): ChainFailure {
  return payoutRefused(`${payoutOf(terms)}: ${why}`)
}

function payoutOf({ redeemer }: HtlcTerms): string {
  return `paying ${redeemer} out of the HTLC`
}

/** `Transfers.sol` accepts no data, or the word 1. */
export function isAccepted(answer: Hex): boolean {
  return size(answer) === 0 || (size(answer) >= 32 && hexToBigInt(answer.slice(0, 66) as Hex) === 1n)
}
