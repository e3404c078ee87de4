/** Gas: the price that a transaction names and the most that it may cost, all in MIST, the smallest unit of SUI. What is not used is not paid. */

import type { LegCost } from '@tandem/chain-kit/port/abilities/reading.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Epoch, GasUsed, SuiNode } from '../nodes/node.ts'

/** The least that is charged. Our calls take less. */
const UNITS = 1_000n

/** As measured: `bench/RESULTS.md`. */
const STORAGE = { initiate: 3_300_000n, redeem: 210_000n, refund: 210_000n } as const

const DECIMALS = 9

/** Whatever nodes claim, we never offer more for a unit of computation: a hundred times the usual price. */
const MAX_PRICE = 100_000n

/** A retry offers more, because validators leave out the cheapest transactions of a busy shared object: 2, 4, and at most 8 times. */
const MAX_RAISES = 3

/** The most that a transaction of ours may cost. */
const MAX_BUDGET = 500_000_000n

/** Several times what a redeem takes: `bench/RESULTS.md` has the measured gas. */
const REDEEM_UNITS = 5_000n
const REDEEM_STORAGE = 20_000_000n

/** For a coin that is split off for later transactions: more than its storage. */
export const SPLIT_BUDGET = 2_000_000n

/** `earlier`: how many transactions of the same action failed or expired. */
export function gasPrice({ gasPrice: reference }: Pick<Epoch, 'gasPrice'>, earlier: number): bigint {
  if (reference > MAX_PRICE)
    throw new ChainFailure('uneconomic', `a unit of gas costs ${reference} MIST now, and we pay at most ${MAX_PRICE}`)
  const raised = reference * 2n ** BigInt(Math.min(earlier, MAX_RAISES))
  return raised < MAX_PRICE ? raised : MAX_PRICE
}

/** What a transaction may take, at any price. */
export type GasNeed = { readonly units: bigint; readonly storage: bigint }

/** Half more than simulated: other transactions may change the state before this one is executed. Rebates are not counted on. */
export function needOf({ computation, storage }: GasUsed, price: bigint): GasNeed {
  return { units: (divideUp(computation, price) * 3n) / 2n + 1n, storage: (storage * 3n) / 2n + 1n }
}

/** Of a redeem that no node may see yet. */
export const redeemNeed: GasNeed = { units: REDEEM_UNITS, storage: REDEEM_STORAGE }

export function budgetOf({ units, storage }: GasNeed, price: bigint): bigint {
  const budget = units * price + storage
  if (budget > MAX_BUDGET) throw new ChainFailure('uneconomic', `it may cost ${budget} MIST, and we pay at most ${MAX_BUDGET}`)
  return budget
}

function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by
}

/** In MIST: computation, and the part of the storage deposit that does not come back to its sender. */
export async function legCostOf(node: Pick<SuiNode, 'epoch'>): Promise<LegCost> {
  const computation = UNITS * gasPrice(await node.epoch(), 0)
  return {
    decimals: DECIMALS,
    initiate: computation + STORAGE.initiate,
    redeem: computation + STORAGE.redeem,
    refund: computation + STORAGE.refund,
  }
}
