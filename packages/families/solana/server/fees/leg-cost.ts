/** What an initiation, redeem or refund costs now: signature, priority fee, and the rent of a recipient's new token account. */

import type { LegCost } from '@tandem/chain-kit/port/abilities/leg-cost.ts'
import type { HtlcVerb } from '@tandem/protocol/htlc.ts'
import { fixedUnits, unitPrice } from '../../terms/fees/fees.ts'
import type { SolanaNode } from '../nodes/node.ts'
import { LEAST_FEE, RENT } from './funds.ts'

const DECIMALS = 9
const MICRO_LAMPORTS = 1_000_000n

export async function legCostOf(node: Pick<SolanaNode, 'priorityFee'>, isToken: boolean): Promise<LegCost> {
  const costOf = async (verb: HtlcVerb) => {
    const units = fixedUnits(verb, isToken && verb === 'redeem')
    return LEAST_FEE + (BigInt(units) * (await unitPrice(node, verb, [], units)) + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS
  }
  const [initiate, redeem, refund] = await Promise.all([costOf('initiate'), costOf('redeem'), costOf('refund')])
  return {
    decimals: DECIMALS,
    // The rent of the HTLC comes back, by one more transaction.
    initiate: initiate + LEAST_FEE,
    redeem,
    refund,
    bound: isToken ? RENT.tokenOrder + RENT.tokenAccount : RENT.solOrder,
    kept: RENT.account,
    ...(isToken && { newRecipient: RENT.tokenAccount }),
  }
}
