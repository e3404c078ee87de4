/** Tries a payout on the node without showing the secret: the contract makes it, measures it, and always takes it back. */
import { encodeFunctionData, toFunctionSelector } from 'viem'
import { htlcTrc20 } from '../../../contracts/evm/artifacts/htlc-trc20.ts'
import type { HtlcTerms } from '../../protocol/htlc.ts'
import { canonicalTerms, type HtlcContract } from '../evm/htlc.ts'
import type { EvmNode } from '../evm/node.ts'
import { asChainFailure, isRevert } from '../evm/revert.ts'
import { ChainFailure } from '../family.ts'
import { fromEvmAddress } from './address.ts'

const WOULD_SUCCEED = toFunctionSelector('HTLC__PayoutWouldSucceed()')

/** Throws `would-fail` if the payout cannot succeed. A token's transfer alone would not tell: Tether answers false to one that it has made. */
export async function tryPayout(node: EvmNode, contract: HtlcContract, terms: HtlcTerms): Promise<void> {
  const { redeemer, amount } = canonicalTerms(terms)
  const what = `paying ${fromEvmAddress(redeemer)} out of the HTLC`
  try {
    await node.call({
      to: contract.address,
      data: encodeFunctionData({ abi: htlcTrc20.abi, functionName: 'tryPayout', args: [redeemer, amount] }),
    })
  } catch (error) {
    if (isRevert(error) && error.data?.slice(0, 10) === WOULD_SUCCEED) return
    throw asChainFailure(error, what)
  }
  throw new ChainFailure('would-fail', `${what}: the contract let a trial pass, so it is not ours`)
}
