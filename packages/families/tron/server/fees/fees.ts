/** Limits the fee of a call on Tron: the estimated energy at the network's price, up to a cap in TRX. */

import type { LegCost } from '@tandem/chain-kit/port/abilities/reading.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { EvmNode, NodeCall } from '@tandem/evm/server/nodes/node.ts'
import { NodeRefusal } from '@tandem/evm/server/nodes/rpc.ts'
import { max, min } from '@tandem/protocol/bigint.ts'
import type { Address } from 'viem'
import { fromEvmAddress } from '../../terms/address.ts'
import { type FeeVerb, fallbackEnergy, feeCapSun, minEnergy, SUN } from '../../terms/fees/limits.ts'
import type { WalletApi } from '../nodes/wallet-api.ts'
import type { SignedCall } from '../send/transaction.ts'

/** These are twice the needs of a plain token, because busy tokens are charged more for their part. */
const ENERGY = { initiate: 130_000n, redeem: 90_000n, refund: 90_000n } as const

/** Some 400 bytes cost 1,000 sun each, because free bandwidth lasts for two transactions a day. */
const USUAL_BANDWIDTH_SUN = 400_000n

/** Those of TRX. */
export const DECIMALS = 6

/** The unit is energy. */
export type Need = {
  readonly wanted: bigint
  /** A call with less energy fails, and still costs all of it. */
  readonly min: bigint
}

export type AccountFunds = {
  readonly account: Address
  readonly balanceSun: bigint
  /** Energy from staking is free of charge. */
  readonly stakedEnergy: bigint
  /** The account's unmined transactions may still cost at most this much. */
  readonly reservedSun: bigint
  /** The call has this value. Energy from staking cannot pay for it. */
  readonly givenSun?: bigint
}

/** Our transactions have less than 600 bytes, at 1,000 sun each when no free bandwidth is left. */
const BANDWIDTH_SUN = 1n * SUN

/** A redeem takes a third of this beside its payout, and up to 3.4 times as much if the contract is busy. */
const REDEEM_ENERGY = 30_000n

/**
 * A call with value takes 9,000, and 25,000 more if it creates the account. A contract may use 10,000 before it refuses; then another call gives
 * the coin back.
 */
const GIVING_ENERGY = 35_000n

/** The estimate plus one half: the surcharge of a busy contract may rise before the call is mined. */
export async function energyFor(node: EvmNode, call: NodeCall, verb: FeeVerb): Promise<Need> {
  try {
    return withMargin(await node.estimateGas(call))
  } catch (error) {
    if (error instanceof NodeRefusal) return { wanted: fallbackEnergy[verb], min: minEnergy[verb] }
    throw error
  }
}

/** No node may see such a redeem yet. `payout` is the energy of its simulated payout, or 0 if no node reported it. */
export function energyForRedeem(payout: bigint, { givesCoin }: { readonly givesCoin: boolean }): Need {
  const giving = givesCoin ? GIVING_ENERGY : 0n
  const estimated = withMargin(payout + REDEEM_ENERGY + giving)
  return { wanted: max(estimated.wanted, fallbackEnergy.redeem), min: max(estimated.min, minEnergy.redeem + giving) }
}

export function withMargin(estimate: bigint): Need {
  return { wanted: (estimate * 3n) / 2n, min: estimate }
}

export async function readFunds(node: EvmNode, api: WalletApi, account: Address, reservedSun = 0n): Promise<AccountFunds> {
  const [balanceSun, stakedEnergy] = await Promise.all([node.balance(account), api.stakedEnergy(account)])
  return { account, balanceSun, stakedEnergy, reservedSun }
}

export function reserveOf({ feeLimitSun, call }: Pick<SignedCall, 'feeLimitSun' | 'call'>): bigint {
  return call.value + feeLimitSun + BANDWIDTH_SUN
}

/**
 * `minLimitSun` is more than the limit that an earlier attempt ran out of. Redeems and refunds may use all funds: an unused limit is free.
 */
export function feeLimitSun(verb: FeeVerb, need: Need, priceSun: bigint, funds: AccountFunds, minLimitSun = 0n): bigint {
  const [wanted, cap] = [max(need.wanted * priceSun, minLimitSun), feeCapSun[verb]]
  const isOwed = verb === 'redeem' || verb === 'refund'
  const affordable = min(cap, budgetSun(funds, priceSun))
  const minLimit = isOwed ? need.min * priceSun : wanted
  if (minLimit <= affordable) return min(wanted, affordable)
  if (minLimit > cap) throw new ChainFailure('would-fail', `${verb}: it may cost ${minLimit / SUN} TRX, and we pay up to ${cap / SUN}`)
  throw shortOf(funds, minLimit)
}

/** At the cap the limit cannot be raised: the next attempt would run out of energy again, and cost all of it again. */
export function isAtCap(verb: FeeVerb, { feeLimitSun }: { readonly feeLimitSun: bigint }): boolean {
  return feeLimitSun >= feeCapSun[verb]
}

/** With less energy the call would run out of it, and cost all of it. */
export function requireFunds(funds: AccountFunds, energy: bigint, priceSun: bigint): void {
  if (budgetSun(funds, priceSun) < energy * priceSun) throw shortOf(funds, energy * priceSun)
}

/** It is negative if the account does not hold what it gives. */
function budgetSun({ balanceSun, stakedEnergy, reservedSun, givenSun = 0n }: AccountFunds, priceSun: bigint): bigint {
  const leftSun = balanceSun - BANDWIDTH_SUN - givenSun
  if (leftSun < 0n && givenSun > 0n) return leftSun - reservedSun
  return max(leftSun, 0n) + stakedEnergy * priceSun - reservedSun
}

function shortOf({ account, balanceSun, stakedEnergy, reservedSun, givenSun = 0n }: AccountFunds, sun: bigint): ChainFailure {
  const reserved = reservedSun === 0n ? '' : `, of which ${reservedSun} sun are reserved for unmined transactions`
  const held = `${fromEvmAddress(account)} holds ${balanceSun} sun and ${stakedEnergy} energy${reserved}`
  const given = givenSun === 0n ? '' : `, and ${givenSun} sun are given`
  return new ChainFailure('would-fail', `${held}; energy and bandwidth take ${sun + BANDWIDTH_SUN} sun${given}`)
}

/** A recipient without the token takes twice the energy. */
export async function transferCost(api: Pick<WalletApi, 'energyPrice'>): Promise<bigint> {
  return ENERGY.initiate * (await api.energyPrice()) + USUAL_BANDWIDTH_SUN
}

export async function legCostOf(api: Pick<WalletApi, 'energyPrice'>): Promise<LegCost> {
  const price = await api.energyPrice()
  const costOf = (energy: bigint) => energy * price + USUAL_BANDWIDTH_SUN
  return { decimals: DECIMALS, initiate: costOf(ENERGY.initiate), redeem: costOf(ENERGY.redeem), refund: costOf(ENERGY.refund) }
}
