/** Sets the gas limits of a transaction: the node's estimate with a margin. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcVerb } from '@tandem/protocol/htlc.ts'
import type { Felt } from '../../contract/client/felt.ts'
import { starknetDataOf } from '../../terms/chain-data.ts'
import type { GasAmounts, StarknetNode, WireTransaction } from '../nodes/node.ts'
import { invokeWire, type Multicall } from '../send/transaction.ts'
import { highestFee } from './fees.ts'

/** A transaction may have this L2 gas: docs.starknet.io, "Current limits". */
const MAX_L2_GAS = 1_000_000_000n

/** This is several times what our contract takes beside its token's payment: a block of SHA-256, an order read and written, an event. */
const REDEEM_GAS: GasAmounts = { l1Gas: 0n, l1DataGas: 512n, l2Gas: 12_000_000n }

/** Data that is published on L1 as calldata takes this gas. Nodes then estimate L1 gas for every transaction. */
const REDEEM_L1_GAS = 20_000n

/**
 * We pay for this gas when another account checks a signature: in a relay, and in an instant refund. L2 gas is five times that of an account with one key: several owners or a passkey take up to 40
 * million more. L1 gas is for messages to L1, which neither needs; L1 data gas is for changed storage, and ours changes a few slots.
 */
export const MAX_RELAY_GAS: GasAmounts = { l1Gas: 0n, l1DataGas: 4096n, l2Gas: 60_000_000n }
/**
 * No transaction of ours may cost more: the gas of the dearest one that we pay for, with the margin, at the highest prices of the chain's data. A first redeem
 * of a usual token takes less than a quarter of it, even at those prices.
 */
export function maxFeeOf(chain: Chain): bigint {
  return highestFee(withMargin(MAX_RELAY_GAS), { prices: starknetDataOf(chain).maxPerGas, tip: 0n })
}

/** An account with one key takes at most a fifth of the limit, with the margin. */
export const USUAL_RELAY_GAS = withMargin({ ...MAX_RELAY_GAS, l2Gas: MAX_RELAY_GAS.l2Gas / 5n }).l2Gas
const RESOURCES = { l1Gas: 'L1 gas', l1DataGas: 'L1 data gas', l2Gas: 'L2 gas' } as const

type Estimating = Pick<StarknetNode, 'nonce' | 'estimate'>

const noGas: GasAmounts = { l1Gas: 0n, l1DataGas: 0n, l2Gas: 0n }
/** Estimates use this, and charge nothing. */
export const unpriced = { gas: noGas, fees: { prices: noGas, tip: 0n } } as const

/** The newest state decides. Rejects with a NodeRefusal if the calls revert. */
export async function estimateCalls(node: Estimating, sender: Felt, call: Multicall): Promise<GasAmounts> {
  const nonce = await node.nonce(sender)
  return estimateGas(node, invokeWire({ ...unpriced, chainId: '0x0', sender, nonce }, call))
}

async function estimateGas(node: Estimating, transaction: WireTransaction): Promise<GasAmounts> {
  return (await node.estimate(transaction, { validates: false })).gas
}

/** Half of the estimate is added: other transactions may change the state before this one is mined. */
export function withMargin({ l1Gas, l1DataGas, l2Gas }: GasAmounts): GasAmounts {
  const more = (amount: bigint) => (amount * 3n + 1n) / 2n
  const wanted = more(l2Gas)
  if (l2Gas > MAX_L2_GAS) throw new ChainFailure('would-fail', `it would take ${l2Gas} L2 gas, and a transaction may take ${MAX_L2_GAS}`)
  return { l1Gas: more(l1Gas), l1DataGas: more(l1DataGas), l2Gas: wanted < MAX_L2_GAS ? wanted : MAX_L2_GAS }
}

export function redeemGas(payment: GasAmounts): GasAmounts {
  const add = (resource: keyof GasAmounts) => payment[resource] * 2n + REDEEM_GAS[resource]
  return { l1Gas: add('l1Gas') + (payment.l1Gas > 0n ? REDEEM_L1_GAS : 0n), l1DataGas: add('l1DataGas'), l2Gas: add('l2Gas') }
}

export function addGas(a: GasAmounts, b: GasAmounts): GasAmounts {
  return { l1Gas: a.l1Gas + b.l1Gas, l1DataGas: a.l1DataGas + b.l1DataGas, l2Gas: a.l2Gas + b.l2Gas }
}

export const usualRedeemGas = redeemGas({ l1Gas: 0n, l1DataGas: 512n, l2Gas: 4_000_000n })

/** An account checks its own signature, and can burn gas, write storage and send messages there, all of which the sender pays. */
export function assertRelayGas(verb: HtlcVerb, gas: GasAmounts): void {
  for (const resource of Object.keys(RESOURCES) as (keyof GasAmounts)[]) {
    if (gas[resource] > MAX_RELAY_GAS[resource])
      throw new ChainFailure(
        'would-fail',
        `${verb}: it would take ${gas[resource]} ${RESOURCES[resource]}, and we pay for ${MAX_RELAY_GAS[resource]}`,
      )
  }
}
