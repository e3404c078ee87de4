/** What an initiation, redeem or refund costs now, in drops. The reserve of an escrow comes back. */
import type { LegCost } from '@tandem/chain-kit/port/abilities/leg-cost.ts'
import { suggestFees } from './fees.ts'
import type { XrplNode } from './nodes/node.ts'
import { FINISH_UNITS } from './send/transaction.ts'

const DECIMALS = 6

export async function legCostOf(node: Pick<XrplNode, 'fee' | 'reserves'>): Promise<LegCost> {
  const [{ perUnit }, { increment }] = await Promise.all([suggestFees(node, 0n, null), node.reserves()])
  return { decimals: DECIMALS, initiate: perUnit, redeem: perUnit * FINISH_UNITS, refund: perUnit, bound: increment }
}
