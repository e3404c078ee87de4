/** What a call may cost on Tron: energy as the node estimates it, at the price of the network, up to a limit in TRX that is part of the transaction. */
import type { Address } from 'viem'
import type { HtlcVerb } from '../../../protocol/htlc.ts'
import type { EvmNode, NodeCall } from '../../evm/nodes/node.ts'
import { NodeRefusal } from '../../evm/nodes/rpc.ts'
import { ChainFailure } from '../../port/failure.ts'
import { fromEvmAddress } from '../address.ts'
import type { WalletApi } from '../nodes/wallet-api.ts'

export type FeeVerb = HtlcVerb | 'approve'

/** In energy. */
export type Need = {
  /** Ample. */
  readonly wanted: bigint
  /** With less it fails for certain, and costs all the same. */
  readonly least: bigint
}

/** What an account can pay with. */
export type Purse = {
  readonly account: Address
  readonly balanceSun: bigint
  /** From staking, free of charge. */
  readonly stakedEnergy: bigint
  /** What transactions of its own that wait for a block may still take. */
  readonly promisedSun: bigint
}

const SUN = 1_000_000n

/** Several times what the contract uses with a plain token: calls of much used contracts, Tether's above all, are charged up to 3.4 times their energy. */
export const fallbackEnergy = { approve: 150_000n, initiate: 600_000n, redeem: 500_000n, refund: 500_000n } as const satisfies Record<
  FeeVerb,
  bigint
>

/** What the contract uses with a plain token, and no less with any other. */
const leastEnergy = { approve: 20_000n, initiate: 60_000n, redeem: 40_000n, refund: 40_000n } as const satisfies Record<FeeVerb, bigint>

/** More than that needs a person. Money that is ours already is worth more to bring home than a new deal to begin. */
const feeCapSun = { approve: 100n * SUN, initiate: 300n * SUN, redeem: 1500n * SUN, refund: 1500n * SUN } as const satisfies Record<
  FeeVerb,
  bigint
>

/** A transaction of ours has less than 600 bytes, at 1,000 sun each where no free bandwidth is left. */
const BANDWIDTH_SUN = 1n * SUN

/** What a redeem does beside its payout takes a third of this, and up to 3.4 times as much where the contract is busy. */
const REDEEM_ENERGY = 30_000n

/** Half on top: the surcharge of a busy contract may rise before the call is in a block. */
export async function energyFor(node: EvmNode, call: NodeCall, verb: FeeVerb): Promise<Need> {
  try {
    return ample(await node.estimateGas(call))
  } catch (error) {
    if (error instanceof NodeRefusal) return { wanted: fallbackEnergy[verb], least: leastEnergy[verb] }
    throw error
  }
}

/** Of a redeem that must not be shown to a node yet. `payout`: what its payout took when it was tried; 0 when no node told. */
export function energyAfterTrial(payout: bigint): Need {
  const { wanted, least } = ample(payout + REDEEM_ENERGY)
  const usual = { wanted: fallbackEnergy.redeem, least: leastEnergy.redeem }
  return { wanted: wanted > usual.wanted ? wanted : usual.wanted, least: least > usual.least ? least : usual.least }
}

export function ample(estimate: bigint): Need {
  return { wanted: (estimate * 3n) / 2n, least: estimate }
}

export async function readPurse(node: EvmNode, api: WalletApi, account: Address, promisedSun = 0n): Promise<Purse> {
  const [balanceSun, stakedEnergy] = [await node.balance(account), await api.stakedEnergy(account)]
  return { account, balanceSun, stakedEnergy, promisedSun }
}

/** What a transaction that waits for a block may still take from its sender. */
export function promiseSun({ feeLimitSun }: { readonly feeLimitSun: bigint }): bigint {
  return feeLimitSun + BANDWIDTH_SUN
}

/**
 * `atLeastSun`: more than what an attempt before had and ran out of. What is owed is tried with as much as there is: a limit that is not
 * reached costs nothing.
 */
export function feeLimitSun(verb: FeeVerb, need: Need, priceSun: bigint, purse: Purse, atLeastSun = 0n): bigint {
  const [wanted, cap] = [larger(need.wanted * priceSun, atLeastSun), feeCapSun[verb]]
  const isOwed = verb === 'redeem' || verb === 'refund'
  const most = smaller(cap, budgetSun(purse, priceSun))
  const least = isOwed ? need.least * priceSun : wanted
  if (least <= most) return smaller(wanted, most)
  if (least > cap) throw new ChainFailure('would-fail', `${verb}: it may cost ${least / SUN} TRX, and we pay up to ${cap / SUN}`)
  throw shortOf(purse, least)
}

/** There is nothing to raise any more: what runs out of so much runs out of it again, and each time costs all of it. */
export function isAtCap(verb: FeeVerb, { feeLimitSun }: { readonly feeLimitSun: bigint }): boolean {
  return feeLimitSun >= feeCapSun[verb]
}

/** Without it the call would end halfway, and cost all that was there. */
export function requireFunds(purse: Purse, energy: bigint, priceSun: bigint): void {
  if (budgetSun(purse, priceSun) < energy * priceSun) throw shortOf(purse, energy * priceSun)
}

function budgetSun({ balanceSun, stakedEnergy, promisedSun }: Purse, priceSun: bigint): bigint {
  return larger(balanceSun - BANDWIDTH_SUN, 0n) + stakedEnergy * priceSun - promisedSun
}

function shortOf({ account, balanceSun, stakedEnergy, promisedSun }: Purse, sun: bigint): ChainFailure {
  const promised = promisedSun === 0n ? '' : `, of which ${promisedSun} sun are promised to transactions that wait`
  const held = `${fromEvmAddress(account)} holds ${balanceSun} sun and ${stakedEnergy} energy${promised}`
  return new ChainFailure('would-fail', `${held}; energy and bandwidth take ${sun + BANDWIDTH_SUN} sun`)
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
