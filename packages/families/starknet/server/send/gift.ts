/** A redeem can give its redeemer some of the fee token, so that an account which holds only a token can pay for what it does next. */

import { findShortage } from '@tandem/chain-kit/contract/funds.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { transferCall } from '../../contract/client/calls.ts'
import { type Felt, selectorOf } from '../../contract/client/felt.ts'
import { feltOf } from '../../terms/address.ts'
import { starknetDataOf } from '../../terms/chain-data.ts'
import type { ContractState } from '../contract-state.ts'
import { estimateCalls, withMargin } from '../fees/gas.ts'
import type { GasAmounts, NodeCall, StarknetNode } from '../nodes/node.ts'
import { asChainFailure } from '../refusal.ts'

export type Gift = { readonly amount: bigint; readonly call: NodeCall }

const transferSelector = selectorOf('transfer')

export interface Gifts {
  to(terms: HtlcTerms, amount: bigint): Gift
  isAmong(calls: readonly NodeCall[]): boolean
  /** Rejects in the words for missing fees. A node would say that the redeem reverts, which tells nobody what to do. */
  assertHeld(gift: Gift, sender: string): Promise<void>
  /** The gift is tried apart from the payment, so that its failure is not taken for one of the payout. */
  tryAlone(gift: Gift, sender: string): Promise<GasAmounts>
}

export function createGifts(
  chain: Chain,
  node: Pick<StarknetNode, 'nonce' | 'estimate'>,
  state: Pick<ContractState, 'tokenBalance'>,
): Gifts {
  const feeToken: Felt = feltOf(starknetDataOf(chain).feeToken)

  async function assertHeld({ amount }: Gift, sender: string): Promise<void> {
    const balance = await state.tokenBalance(feeToken, feltOf(sender))
    const account = { address: sender, coin: feeTokenOf(chain), balance }
    const shortage = findShortage(account, { cost: amount, inFlight: 0n, kept: 0n })
    if (shortage !== null) throw shortage
  }

  return {
    to: ({ redeemer }, amount) => ({ amount, call: transferCall(feeToken, feltOf(redeemer), amount) }),
    isAmong: (calls) => calls.some(({ to, selector }) => to === feeToken && selector === transferSelector),
    assertHeld,
    async tryAlone(gift, sender) {
      await assertHeld(gift, sender)
      try {
        return withMargin(await estimateCalls(node, feltOf(sender), { calls: [gift.call] }))
      } catch (error) {
        throw asChainFailure(error, `giving ${gift.amount} of ${feeTokenOf(chain)}`)
      }
    },
  }
}

export function feeTokenOf({ id }: Chain): string {
  return `the fee token of ${id}`
}
