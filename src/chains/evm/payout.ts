/** Tries a payout on the node without showing the secret: the same transfer, sent by the HTLC itself. */
import { encodeFunctionData, erc20Abi, type Hex, hexToBigInt, size } from 'viem'
import type { HtlcTerms } from '../../protocol/htlc.ts'
import { ChainFailure } from '../family.ts'
import { canonicalTerms, type HtlcContract } from './htlc.ts'
import type { EvmNode } from './node.ts'
import { asChainFailure } from './revert.ts'

export async function verifyPayout(node: EvmNode, { address, token }: HtlcContract, terms: HtlcTerms): Promise<void> {
  const { redeemer } = canonicalTerms(terms)
  const transfer =
    token === null
      ? { to: redeemer, value: terms.amount }
      : { to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [redeemer, terms.amount] }) }
  let answer: Hex
  try {
    answer = await node.call({ from: address, ...transfer })
  } catch (error) {
    throw asChainFailure(error, `paying ${redeemer} out of the HTLC`)
  }
  if (token !== null && !isAccepted(answer)) {
    throw new ChainFailure('would-fail', `paying ${redeemer} out of the HTLC: the token answered false`)
  }
}

/** As `Transfers.sol` reads it: nothing at all, or the word 1. */
function isAccepted(answer: Hex): boolean {
  return size(answer) === 0 || (size(answer) >= 32 && hexToBigInt(answer.slice(0, 66) as Hex) === 1n)
}
