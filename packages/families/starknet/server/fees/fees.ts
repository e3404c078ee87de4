/** Chooses the fees of a new transaction, and the fee bump of an unmined one. All are in FRI, the smallest unit of STRK. */

import type { LegCost } from '@tandem/chain-kit/port/abilities/reading.ts'
import { max, min } from '@tandem/protocol/bigint.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { starknetDataOf } from '../../terms/chain-data.ts'
import type { GasAmounts, GasPrices, StarknetNode } from '../nodes/node.ts'
import { newestOf } from '../nodes/read-blocks.ts'

/** The measured gas (`bench/RESULTS.md`) is doubled, for the sender's account and the changed storage. */
const GAS = {
  initiate: { l1Gas: 0n, l1DataGas: 512n, l2Gas: 3_000_000n },
  redeem: { l1Gas: 0n, l1DataGas: 384n, l2Gas: 3_000_000n },
  refund: { l1Gas: 0n, l1DataGas: 384n, l2Gas: 1_800_000n },
  /** The redeemer's account checks its signature, which takes some more than the measured double. */
  instantRefund: { l1Gas: 0n, l1DataGas: 384n, l2Gas: 3_000_000n },
} as const satisfies Record<string, GasAmounts>

export const DECIMALS = 18

/** The prices are the highest for each kind of gas. A transaction pays the price of its block, and the tip for each L2 gas. */
export type Fees = { readonly prices: GasPrices; readonly tip: bigint }

/** L2 gas rises by at most 1/48 with each block, so its price doubles in 33 full blocks; L1 prices follow Ethereum's. */
const PRICE_FACTOR = 2n

/** The tip of a first attempt is this part of the L2 gas price, enough to be mined before transactions without a tip. */
const TIP_PART = 20n

/** The fee cap of an optional action is this multiple of the suggested fee. */
const OPTIONAL_FEE_FACTOR = 3n

export async function suggestFees(node: Pick<StarknetNode, 'block'>, chain: Chain): Promise<Fees> {
  const { maxPerGas } = starknetDataOf(chain)
  const { gasPrices } = await newestOf(node)
  const tip = min(gasPrices.l2Gas / TIP_PART, maxPerGas.l2Gas)
  const l2Gas = min(gasPrices.l2Gas * PRICE_FACTOR, maxPerGas.l2Gas - tip)
  const l1Gas = min(gasPrices.l1Gas * PRICE_FACTOR, maxPerGas.l1Gas)
  const l1DataGas = min(gasPrices.l1DataGas * PRICE_FACTOR, maxPerGas.l1DataGas)
  return { prices: { l1Gas, l1DataGas, l2Gas }, tip }
}

type Bump = { readonly urgent: boolean; readonly isObligatory: boolean }

/**
 * Sequencers require 10 % more of the tip and of the L2 gas price. The tip decides how soon a transaction is mined, so it is doubled. The
 * result is null at the cap, except that an obligatory action may rise to the chain's cap: missing it costs more than any such fee.
 */
export function raiseFees(chain: Chain, fees: Fees, suggested: Fees, { urgent, isObligatory }: Bump): Fees | null {
  const { maxPerGas } = starknetDataOf(chain)
  const cap = isObligatory ? maxPerGas.l2Gas : min(feeRateOf(suggested) * OPTIONAL_FEE_FACTOR, maxPerGas.l2Gas)
  const minTip = minRaise(fees.tip)
  const minPrice = minRaise(fees.prices.l2Gas)
  if (minTip + minPrice > cap) return null
  const wantedPrice = max(urgent ? fees.prices.l2Gas * 2n : minPrice, suggested.prices.l2Gas)
  const l2Gas = max(min(wantedPrice, cap - minTip), minPrice)
  const tip = max(min(max(fees.tip * 2n, suggested.tip), cap - l2Gas), minTip)
  const l1Gas = max(fees.prices.l1Gas, suggested.prices.l1Gas)
  const l1DataGas = max(fees.prices.l1DataGas, suggested.prices.l1DataGas)
  return { prices: { l1Gas, l1DataGas, l2Gas }, tip }
}

function minRaise(value: bigint): bigint {
  return value + value / 8n + 1n
}

/** Transactions are compared by this: the highest fee for one L2 gas. */
export function feeRateOf({ prices, tip }: Fees): bigint {
  return prices.l2Gas + tip
}

/** Sequencers require the account to hold the maximum cost. */
export function highestFee(gas: GasAmounts, { prices, tip }: Fees): bigint {
  return gas.l1Gas * prices.l1Gas + gas.l1DataGas * prices.l1DataGas + gas.l2Gas * (prices.l2Gas + tip)
}

export async function legCostOf(node: Pick<StarknetNode, 'block'>): Promise<LegCost> {
  const costOf = await costs(node)
  return { decimals: DECIMALS, initiate: costOf(GAS.initiate), redeem: costOf(GAS.redeem), refund: costOf(GAS.refund) }
}

/** A transfer takes less than a redeem. */
export async function transferCost(node: Pick<StarknetNode, 'block'>): Promise<bigint> {
  return (await costs(node))(GAS.redeem)
}

/** `gas` is that of a redeemer whose account checks one signature by one key, unless it is given. */
export async function instantRefundCost(node: Pick<StarknetNode, 'block'>, gas: GasAmounts = GAS.instantRefund): Promise<bigint> {
  return (await costs(node))(gas)
}

async function costs(node: Pick<StarknetNode, 'block'>): Promise<(gas: GasAmounts) => bigint> {
  const { gasPrices: prices } = await newestOf(node)
  return (gas) => highestFee(gas, { prices, tip: prices.l2Gas / TIP_PART })
}
