/** Computes the gas limit of a call: the node's estimate, or a safe constant where it has none. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Address } from 'viem'
import { REVOKE_GAS } from '../../terms/htlc.ts'
import type { EvmNode, NodeCall } from '../nodes/node.ts'
import { NodeRefusal } from '../nodes/rpc.ts'
import type { TransactionCall } from '../send/transaction.ts'
import { dataGasOf } from './data-fee.ts'

/** A payout to a contract wallet, or of a token behind a proxy, needs no more. We pay for no more. */
export const MAX_PAYOUT_GAS = 100_000n

const SETTLE_GAS = MAX_PAYOUT_GAS + 200_000n

/**
 * We pay for no more. It is five times what the signature of a key takes in a relay: enough for several owners, or for a passkey on chains without its
 * precompile. All other calls for one order take less.
 */
export const MAX_CALL_GAS = 600_000n

/** These limits are several times what the contracts use with a plain token: tokens behind proxies take more. */
export const fallbackGas = {
  approve: 150_000n,
  initiate: 400_000n,
  redeem: SETTLE_GAS,
  refund: SETTLE_GAS,
  cancel: 100_000n,
  transfer: MAX_PAYOUT_GAS,
  revoke: REVOKE_GAS,
} as const

/**
 * A storage slot that was in use when the node estimated an initiation may be empty when it is mined: the HTLC's balance of a token is zero as soon as all
 * other swaps are settled. To write an empty slot takes 17,100 gas more (EIP-2929), which can be more than a fifth of the estimate. Two such slots.
 */
export const EMPTIED_SLOTS_GAS = 2n * 17_100n

/** The payee of such a call may be a contract, which can burn all gas that it gets. */
const paysOut: ReadonlySet<string> = new Set(['redeem', 'refund'])

/** Each redeem of a batch after the first gets several times what the contract uses. */
const BATCHED_REDEEM_GAS = 40_000n

export function batchGas(redeems: number): bigint {
  return BigInt(redeems - 1) * BATCHED_REDEEM_GAS
}

type SentCall = NodeCall & Pick<TransactionCall, 'data'>

/** The node cannot estimate these calls, or must not see them. `extra` is for more than one redeem. */
export async function safeGas(node: EvmNode, chain: Chain, call: SentCall, verb: keyof typeof fallbackGas, extra = 0n): Promise<bigint> {
  return fallbackGas[verb] + extra + (await dataGasOf(node, chain, call))
}

export async function gasFor(node: EvmNode, chain: Chain, call: SentCall, verb: keyof typeof fallbackGas, extra = 0n): Promise<bigint> {
  const estimate = await estimateOf(node, call)
  if (estimate === null) return safeGas(node, chain, call, verb, extra)
  const padded = withMargin(estimate)
  const own = extra + (paysOut.has(verb) ? SETTLE_GAS : MAX_CALL_GAS)
  if (padded <= own) return padded
  // Data gas does not count against the payee, which does not cause it.
  const limit = own + (await dataGasOf(node, chain, call))
  if (estimate > limit) throw new ChainFailure('would-fail', `${verb}: it would take ${estimate} gas, and we pay for ${limit}`)
  return padded < limit ? padded : limit
}

/** A relay has a limit of its own. */
export async function unlimitedGas(node: EvmNode, chain: Chain, call: SentCall, verb: keyof typeof fallbackGas): Promise<bigint> {
  const estimate = await estimateOf(node, call)
  return estimate === null ? safeGas(node, chain, call, verb) : withMargin(estimate)
}

/** Other transactions may change the state before this one is mined. */
function withMargin(estimate: bigint): bigint {
  return (estimate * 6n) / 5n
}

const ESTIMATE_TTL_MS = 60_000

export interface GasAdvice {
  forPayer(call: NodeCall & { readonly to: Address }, verb: 'approve' | 'initiate' | 'revoke'): Promise<bigint>
}

/**
 * Payers of one contract use about the same gas, so one estimate is cached for all orders. The limit is twice the estimate: payers differ
 * in a few storage slots that are written for the first time.
 */
export function createGasAdvice(node: Pick<EvmNode, 'estimateGas'>): GasAdvice {
  const known = new Map<string, { readonly gas: bigint; readonly until: number }>()
  return {
    async forPayer(call, verb) {
      const key = `${verb} ${call.to}`
      const cached = known.get(key)
      if (cached !== undefined && performance.now() < cached.until) return cached.gas
      const estimate = await estimateOf(node, call)
      if (estimate === null) return fallbackGas[verb]
      const gas = 2n * estimate
      known.set(key, { gas, until: performance.now() + ESTIMATE_TTL_MS })
      return gas
    },
  }
}

async function estimateOf(node: Pick<EvmNode, 'estimateGas'>, call: NodeCall): Promise<bigint | null> {
  try {
    return await node.estimateGas(call)
  } catch (error) {
    if (error instanceof NodeRefusal) return null
    throw error
  }
}
