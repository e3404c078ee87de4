/** The fee limit of a call on Tron: the estimated energy at the network's price, up to a cap in TRX. */

import type { LegCost } from '@tandem/chain-kit/port/abilities/reading.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { EvmNode, NodeCall } from '@tandem/evm/server/nodes/node.ts'
import { NodeRefusal } from '@tandem/evm/server/nodes/rpc.ts'
import { max, min } from '@tandem/protocol/bigint.ts'
import type { Address } from 'viem'
import { fromEvmAddress } from '../../terms/address.ts'
import { type FeeVerb, fallbackEnergy, feeCapSun, leastEnergy, SUN } from '../../terms/fees/limits.ts'
import type { WalletApi } from '../nodes/wallet-api.ts'

/** With a plain token, twice: busy tokens are charged more for their part. */
const ENERGY = { initiate: 130_000n, redeem: 90_000n, refund: 90_000n } as const

/** Some 400 bytes at 1,000 sun, because free bandwidth lasts for two transactions a day. */
const USUAL_BANDWIDTH_SUN = 400_000n

const DECIMALS = 6

/** In energy. */
export type Need = {
  /** With a margin. */
  readonly wanted: bigint
  /** With less it fails, and still costs all of it. */
  readonly least: bigint
}

/** An account's means to pay for energy. */
export type AccountFunds = {
  readonly account: Address
  readonly balanceSun: bigint
  /** From staking, free of charge. */
  readonly stakedEnergy: bigint
  /** The most that its unmined transactions may still cost. */
  readonly reservedSun: bigint
}

/** Our transactions have less than 600 bytes, at 1,000 sun each when no free bandwidth is left. */
const BANDWIDTH_SUN = 1n * SUN

/** A redeem takes a third of this beside its payout, and up to 3.4 times as much if the contract is busy. */
const REDEEM_ENERGY = 30_000n

/** The estimate plus one half: the surcharge of a busy contract may rise before the call is mined. */
export async function energyFor(node: EvmNode, call: NodeCall, verb: FeeVerb): Promise<Need> {
  try {
    return withMargin(await node.estimateGas(call))
  } catch (error) {
    if (error instanceof NodeRefusal) return { wanted: fallbackEnergy[verb], least: leastEnergy[verb] }
    throw error
  }
}

/** For a redeem that no node may see yet. `payout`: the energy of its simulated payout; 0 if no node reported it. */
export function energyForRedeem(payout: bigint): Need {
  const { wanted, least } = withMargin(payout + REDEEM_ENERGY)
  const usual = { wanted: fallbackEnergy.redeem, least: leastEnergy.redeem }
  return { wanted: wanted > usual.wanted ? wanted : usual.wanted, least: least > usual.least ? least : usual.least }
}

export function withMargin(estimate: bigint): Need {
  return { wanted: (estimate * 3n) / 2n, least: estimate }
}

export async function readFunds(node: EvmNode, api: WalletApi, account: Address, reservedSun = 0n): Promise<AccountFunds> {
  const [balanceSun, stakedEnergy] = await Promise.all([node.balance(account), api.stakedEnergy(account)])
  return { account, balanceSun, stakedEnergy, reservedSun }
}

/** The most that an unmined transaction may cost its sender. */
export function reserveOf({ feeLimitSun }: { readonly feeLimitSun: bigint }): bigint {
  return feeLimitSun + BANDWIDTH_SUN
}

/**
 * `atLeastSun`: more than the limit that an earlier attempt ran out of. Redeems and refunds may use all funds: an unused limit costs nothing.
 */
export function feeLimitSun(verb: FeeVerb, need: Need, priceSun: bigint, funds: AccountFunds, atLeastSun = 0n): bigint {
  const [wanted, cap] = [max(need.wanted * priceSun, atLeastSun), feeCapSun[verb]]
  const isOwed = verb === 'redeem' || verb === 'refund'
  const most = min(cap, budgetSun(funds, priceSun))
  const least = isOwed ? need.least * priceSun : wanted
  if (least <= most) return min(wanted, most)
  if (least > cap) throw new ChainFailure('would-fail', `${verb}: it may cost ${least / SUN} TRX, and we pay up to ${cap / SUN}`)
  throw shortOf(funds, least)
}

/** The limit cannot be raised any more: the next attempt would run out of energy again, and cost all of it again. */
export function isAtCap(verb: FeeVerb, { feeLimitSun }: { readonly feeLimitSun: bigint }): boolean {
  return feeLimitSun >= feeCapSun[verb]
}

/** With less the call would run out of energy, and cost all of it. */
export function requireFunds(funds: AccountFunds, energy: bigint, priceSun: bigint): void {
  if (budgetSun(funds, priceSun) < energy * priceSun) throw shortOf(funds, energy * priceSun)
}

function budgetSun({ balanceSun, stakedEnergy, reservedSun }: AccountFunds, priceSun: bigint): bigint {
  return max(balanceSun - BANDWIDTH_SUN, 0n) + stakedEnergy * priceSun - reservedSun
}

function shortOf({ account, balanceSun, stakedEnergy, reservedSun }: AccountFunds, sun: bigint): ChainFailure {
  const reserved = reservedSun === 0n ? '' : `, of which ${reservedSun} sun are reserved for unmined transactions`
  const held = `${fromEvmAddress(account)} holds ${balanceSun} sun and ${stakedEnergy} energy${reserved}`
  return new ChainFailure('would-fail', `${held}; energy and bandwidth take ${sun + BANDWIDTH_SUN} sun`)
}

export async function legCostOf(api: Pick<WalletApi, 'energyPrice'>): Promise<LegCost> {
  const price = await api.energyPrice()
  const costOf = (energy: bigint) => energy * price + USUAL_BANDWIDTH_SUN
  return { decimals: DECIMALS, initiate: costOf(ENERGY.initiate), redeem: costOf(ENERGY.redeem), refund: costOf(ENERGY.refund) }
}
