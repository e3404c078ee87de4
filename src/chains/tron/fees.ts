/** What a call may cost on Tron: energy as the node estimates it, at the price of the network, up to a limit in TRX that is part of the transaction. */
import type { Address } from 'viem'
import type { HtlcVerb } from '../../protocol/htlc.ts'
import type { EvmNode, NodeCall } from '../evm/node.ts'
import { NodeRefusal } from '../evm/rpc.ts'
import { ChainFailure } from '../family.ts'
import { fromEvmAddress } from './address.ts'
import type { WalletApi } from './wallet-api.ts'

export type FeeVerb = HtlcVerb | 'approve'

const SUN = 1_000_000n

/** Several times what the contract uses with a plain token: calls of much used contracts, Tether's above all, are charged up to 3.4 times their energy. */
export const fallbackEnergy = { approve: 150_000n, initiate: 600_000n, redeem: 500_000n, refund: 500_000n } as const satisfies Record<
  FeeVerb,
  bigint
>

/** More than that needs a person. Money that is ours already is worth more to bring home than a new deal to begin. */
const feeCapSun = { approve: 100n * SUN, initiate: 300n * SUN, redeem: 1500n * SUN, refund: 1500n * SUN } as const satisfies Record<
  FeeVerb,
  bigint
>

/** A transaction of ours has less than 600 bytes, at 1,000 sun each where no free bandwidth is left. */
const BANDWIDTH_SUN = 1n * SUN

/** Half on top: the surcharge of a busy contract may rise before the call is in a block. */
export async function energyFor(node: EvmNode, call: NodeCall, verb: FeeVerb): Promise<bigint> {
  try {
    return ((await node.estimateGas(call)) * 3n) / 2n
  } catch (error) {
    if (error instanceof NodeRefusal) return fallbackEnergy[verb]
    throw error
  }
}

/** `atLeastSun`: what an attempt before had and ran out of. */
export function feeLimitSun(verb: FeeVerb, energy: bigint, priceSun: bigint, atLeastSun = 0n): bigint {
  const wanted = energy * priceSun > atLeastSun ? energy * priceSun : atLeastSun
  if (wanted <= feeCapSun[verb]) return wanted
  throw new ChainFailure('would-fail', `${verb}: it may cost ${wanted / SUN} TRX, and we pay up to ${feeCapSun[verb] / SUN}`)
}

/** Without it the call would end halfway, and cost all that was there. */
export async function requireFunds(node: EvmNode, api: WalletApi, account: Address, energy: bigint, priceSun: bigint): Promise<void> {
  const [balance, staked] = [await node.balance(account), (await api.resources(account)).energy]
  const bought = energy > staked ? energy - staked : 0n
  const cost = bought * priceSun + BANDWIDTH_SUN
  if (balance >= cost) return
  throw new ChainFailure(
    'would-fail',
    `${fromEvmAddress(account)} holds ${balance} sun and ${staked} energy; ${energy} energy and bandwidth take ${cost} sun`,
  )
}
