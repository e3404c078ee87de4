/** What an initiation, redeem or refund costs now, in FRI. */
import type { LegCost } from '@tandem/chain-kit/port/abilities/leg-cost.ts'
import type { GasAmounts, StarknetNode } from '../nodes/node.ts'
import { newestOf } from '../nodes/read-blocks.ts'
import { highestFee, TIP_PART } from './fees.ts'

/** The calls as measured (`bench/RESULTS.md`), and as much again for the sender's account and the changed storage. */
const GAS = {
  initiate: { l1Gas: 0n, l1DataGas: 512n, l2Gas: 3_000_000n },
  redeem: { l1Gas: 0n, l1DataGas: 384n, l2Gas: 3_000_000n },
  refund: { l1Gas: 0n, l1DataGas: 384n, l2Gas: 1_800_000n },
} as const satisfies Record<string, GasAmounts>

const DECIMALS = 18

export async function legCostOf(node: Pick<StarknetNode, 'block'>): Promise<LegCost> {
  const { gasPrices: prices } = await newestOf(node)
  const fees = { prices, tip: prices.l2Gas / TIP_PART }
  const costOf = (verb: keyof typeof GAS) => highestFee(GAS[verb], fees)
  return { decimals: DECIMALS, initiate: costOf('initiate'), redeem: costOf('redeem'), refund: costOf('refund') }
}
