/** Tries a payout on the node without showing the secret: the same transfer, sent by the HTLC itself. */
import { encodeFunctionData, erc20Abi, type Hex, hexToBigInt, size } from 'viem'
import type { HtlcTerms } from '../../protocol/htlc.ts'
import { ChainFailure } from '../family.ts'
import { MAX_PAYOUT_GAS } from './gas.ts'
import { canonicalTerms, type HtlcContract } from './htlc.ts'
import type { EvmNode } from './node.ts'
import { asChainFailure, isOutOfGas } from './revert.ts'

export async function verifyPayout(node: EvmNode, { address, token }: HtlcContract, terms: HtlcTerms): Promise<void> {
  const { redeemer } = canonicalTerms(terms)
  const transfer =
    token === null
      ? { to: redeemer, value: terms.amount }
      : { to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [redeemer, terms.amount] }) }
  const what = `paying ${redeemer} out of the HTLC`
  let answer: Hex
  let gas: bigint
  try {
    answer = await node.call({ from: address, ...transfer })
    gas = await node.estimateGas({ from: address, ...transfer })
  } catch (error) {
    throw isOutOfGas(error) ? new ChainFailure('would-fail', `${what}: ${error.message}`) : asChainFailure(error, what)
  }
  if (token !== null && !isAccepted(answer)) throw new ChainFailure('would-fail', `${what}: the token answered false`)
  if (gas > MAX_PAYOUT_GAS) throw new ChainFailure('would-fail', `${what}: it would take ${gas} gas, and we pay for ${MAX_PAYOUT_GAS}`)
}

/** As `Transfers.sol` reads it: nothing at all, or the word 1. */
function isAccepted(answer: Hex): boolean {
  return size(answer) === 0 || (size(answer) >= 32 && hexToBigInt(answer.slice(0, 66) as Hex) === 1n)
}
