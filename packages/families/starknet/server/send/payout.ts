/** Tries a payout without the secret. */

import { ChainFailure, payoutRefused } from '@tandem/chain-kit/port/failure.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { transferCall } from '../../contract/client/calls.ts'
import { type Felt, selectorOf } from '../../contract/client/felt.ts'
import { feltOf } from '../../terms/address.ts'
import type { HtlcContract } from '../../terms/htlc.ts'
import type { ContractState } from '../contract-state.ts'
import { estimateCalls } from '../fees/gas.ts'
import type { GasAmounts, StarknetNode } from '../nodes/node.ts'
import { asChainFailure, isRevert, revertReason } from '../refusal.ts'

const transferFromSelector = selectorOf('transfer_from')

/**
 * No node can execute a call as if the HTLC sent it. So the sender's account pays the redeemer nothing, once from itself and once from the
 * HTLC, which needs no allowance: tokens check both parties, and whether they are paused, before the amount. Resolves to the gas of that
 * payment. Rejects with `would-fail` if the payout cannot succeed.
 */
export async function tryPayout(
  node: Pick<StarknetNode, 'nonce' | 'estimate'>,
  state: Pick<ContractState, 'tokenBalance'>,
  contract: HtlcContract,
  terms: HtlcTerms,
  sender: Felt,
): Promise<GasAmounts> {
  const redeemer = feltOf(terms.redeemer)
  const calls = [
    transferCall(contract.token, redeemer, 0n),
    { to: contract.token, selector: transferFromSelector, calldata: [contract.address, redeemer, '0x0', '0x0'] as const },
  ]
  const [, gas] = await Promise.all([
    assertCovered(state, contract, terms),
    estimateCalls(node, sender, { calls }).catch((error: unknown) => {
      const what = `paying ${terms.redeemer} out of the HTLC`
      throw isRevert(error) ? payoutRefused(`${what}: ${revertReason(error)}`) : asChainFailure(error, what)
    }),
  ])
  return gas
}

/** Rejects with `would-fail` if the HTLC holds less than the payout. */
async function assertCovered(
  state: Pick<ContractState, 'tokenBalance'>,
  { token, address }: HtlcContract,
  { asset, amount, redeemer }: HtlcTerms,
): Promise<void> {
  const held = await state.tokenBalance(token, address)
  if (held < amount)
    throw new ChainFailure('would-fail', `paying ${redeemer} out of the HTLC: it holds ${held} of ${asset}, needs ${amount}`)
}
