/** Simulates a payout without the secret: the contract makes it, measures it, and always reverts. */

import { ChainFailure, payoutRefused } from '@tandem/chain-kit/port/failure.ts'
import { htlcTrc20 } from '@tandem/evm/contract/artifacts/htlc-trc20.ts'
import { NodeRefusal } from '@tandem/evm/server/nodes/rpc.ts'
import { revertReason } from '@tandem/evm/server/send/revert.ts'
import { canonicalTerms, type HtlcContract } from '@tandem/evm/terms/htlc.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { type Address, encodeFunctionData, toFunctionSelector } from 'viem'
import { fromEvmAddress } from '../../terms/address.ts'
import type { WalletApi } from '../nodes/wallet-api.ts'

const WOULD_SUCCEED = toFunctionSelector('HTLC__PayoutWouldSucceed()')

/**
 * Resolves to the energy of the payout. `sender` will send the redeem, if it is known. Throws `would-fail` if the payout cannot succeed. A
 * simulation of the token's transfer would prove nothing: Tether returns false even when it transfers.
 */
export async function tryPayout(api: WalletApi, contract: HtlcContract, terms: HtlcTerms, sender?: Address): Promise<bigint> {
  const { redeemer, amount } = canonicalTerms(terms)
  const what = `paying ${fromEvmAddress(redeemer)} out of the HTLC`
  const data = encodeFunctionData({ abi: htlcTrc20.abi, functionName: 'tryPayout', args: [redeemer, amount] })
  const { isReverted, output, energy } = await api.simulateCall({ to: contract.address, data, ...(sender && { from: sender }) })
  if (!isReverted) throw new ChainFailure('would-fail', `${what}: tryPayout did not revert, so the contract is not ours`)
  if (output.slice(0, 10) === WOULD_SUCCEED) return energy
  throw payoutRefused(`${what}: ${revertReason(new NodeRefusal(3, 'execution reverted', output))}`)
}
