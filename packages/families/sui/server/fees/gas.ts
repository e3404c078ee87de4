/** Sets the price and the budget of a transaction, in MIST, the smallest unit of SUI. Unused gas is not paid. */

import type { LegCost } from '@tandem/chain-kit/port/abilities/reading.ts'
import type { PayoutGas } from '@tandem/chain-kit/port/abilities/spending.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Epoch, GasUsed, SuiNode } from '../nodes/node.ts'

/** The network charges at least this. Our calls take less. */
const UNITS = 1_000n

/** The units were measured: `bench/RESULTS.md`. */
const STORAGE = { initiate: 3_300_000n, redeem: 210_000n, refund: 210_000n } as const

const DECIMALS = 9

/** A coin of any amount needs no account. */
export const payoutGas: PayoutGas = { decimals: DECIMALS, minAmount: 1n }

/** We never offer more for a unit of computation, whatever nodes claim: this is a hundred times the usual price. */
export const MAX_PRICE = 100_000n

/** A retry offers more, because validators leave out the cheapest transactions of a busy shared object: 2, 4, and up to 8 times. */
const MAX_RAISES = 3

/** None of our transactions costs more. */
export const MAX_BUDGET = 500_000_000n

/** This is several times the gas of a redeem: `bench/RESULTS.md` has the measured gas. */
const REDEEM_UNITS = 5_000n
const REDEEM_STORAGE = 20_000_000n

/** This is more than the storage of a coin costs that is split off. */
export const SPLIT_BUDGET = 2_000_000n

/** `earlier` is the number of transactions of the same action that failed or expired. */
export function gasPrice({ gasPrice: reference }: Pick<Epoch, 'gasPrice'>, earlier: number): bigint {
  if (reference > MAX_PRICE)
    throw new ChainFailure('uneconomic', `a unit of gas costs ${reference} MIST now, and we pay at most ${MAX_PRICE}`)
  const raised = reference * 2n ** BigInt(Math.min(earlier, MAX_RAISES))
  return raised < MAX_PRICE ? raised : MAX_PRICE
}

export type GasNeed = { readonly units: bigint; readonly storage: bigint }

/** Half of the simulated gas is added: other transactions may change the state before this one is executed. Rebates do not count. */
export function needOf({ computation, storage }: GasUsed, price: bigint): GasNeed {
  return { units: (divideUp(computation, price) * 3n) / 2n + 1n, storage: (storage * 3n) / 2n + 1n }
}

/** No node may see this redeem yet. */
export const redeemNeed: GasNeed = { units: REDEEM_UNITS, storage: REDEEM_STORAGE }

/** The recipient also gets a coin, as gas. */
export const redeemGivingNeed: GasNeed = { units: REDEEM_UNITS, storage: REDEEM_STORAGE + SPLIT_BUDGET }

export function budgetOf({ units, storage }: GasNeed, price: bigint): bigint {
  const budget = units * price + storage
  if (budget > MAX_BUDGET) throw new ChainFailure('uneconomic', `it may cost ${budget} MIST, and we pay at most ${MAX_BUDGET}`)
  return budget
}

function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by
}

/** The cost is in MIST: computation, and the part of the storage deposit that does not come back to its sender. */
export async function legCostOf(node: Pick<SuiNode, 'epoch'>): Promise<LegCost> {
  const computation = UNITS * gasPrice(await node.epoch(), 0)
  return {
    decimals: DECIMALS,
    initiate: computation + STORAGE.initiate,
    redeem: computation + STORAGE.redeem,
    refund: computation + STORAGE.refund,
  }
}
