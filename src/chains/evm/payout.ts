/** Tries a payout on the node without showing the secret: the same transfer, sent by the HTLC itself. */
import { encodeFunctionData, erc20Abi, type Hex, hexToBigInt, size } from 'viem'
import type { HtlcTerms } from '../../protocol/htlc.ts'
import { ChainFailure } from '../family.ts'
import { MAX_PAYOUT_GAS } from './gas.ts'
import { canonicalTerms, type HtlcContract } from './htlc.ts'
import type { EvmNode, NodeCall } from './node.ts'
import { asChainFailure } from './revert.ts'

/** Throws `would-fail` if the payout cannot succeed, or not at a price that whoever sends it should pay. */
export async function verifyPayout(node: EvmNode, contract: HtlcContract, terms: HtlcTerms): Promise<void> {
  await tryPayout(node, contract, terms)
  const gas = await asked(() => node.estimateGas(transferOf(contract, terms)), terms)
  if (gas > MAX_PAYOUT_GAS) throw failure(terms, `it would take ${gas} gas, and we pay for ${MAX_PAYOUT_GAS}`)
}

/** The same without regard to the price. */
export async function tryPayout(node: EvmNode, contract: HtlcContract, terms: HtlcTerms): Promise<void> {
  const answer = await asked(() => node.call(transferOf(contract, terms)), terms)
  if (contract.token !== null && !isAccepted(answer)) throw failure(terms, 'the token answered false')
}

function transferOf({ address, token }: HtlcContract, terms: HtlcTerms): NodeCall {
  const { redeemer, amount } = canonicalTerms(terms)
  if (token === null) return { from: address, to: redeemer, value: amount }
  return { from: address, to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [redeemer, amount] }) }
}

async function asked<T>(question: () => Promise<T>, terms: HtlcTerms): Promise<T> {
  try {
    return await question()
  } catch (error) {
    throw asChainFailure(error, payoutOf(terms))
  }
}

function failure(terms: HtlcTerms, why: string): ChainFailure {
  return new ChainFailure('would-fail', `${payoutOf(terms)}: ${why}`)
}

function payoutOf({ redeemer }: HtlcTerms): string {
  return `paying ${redeemer} out of the HTLC`
}

/** As `Transfers.sol` reads it: nothing at all, or the word 1. */
function isAccepted(answer: Hex): boolean {
  return size(answer) === 0 || (size(answer) >= 32 && hexToBigInt(answer.slice(0, 66) as Hex) === 1n)
}
