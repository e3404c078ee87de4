/** What an initiation, redeem or refund costs now, in MIST: computation, and the part of the storage deposit that does not come back to its sender. */
import type { LegCost } from '@tandem/chain-kit/port/abilities/leg-cost.ts'
import type { SuiNode } from '../nodes/node.ts'
import { gasPrice } from './gas.ts'

/** The least that is charged. Our calls take less. */
const UNITS = 1_000n
/** As measured: `bench/RESULTS.md`. */
const STORAGE = { initiate: 3_300_000n, redeem: 210_000n, refund: 210_000n } as const

const DECIMALS = 9

export async function legCostOf(node: Pick<SuiNode, 'epoch'>): Promise<LegCost> {
  const computation = UNITS * gasPrice(await node.epoch(), 0)
  return {
    decimals: DECIMALS,
    initiate: computation + STORAGE.initiate,
    redeem: computation + STORAGE.redeem,
    refund: computation + STORAGE.refund,
  }
}
