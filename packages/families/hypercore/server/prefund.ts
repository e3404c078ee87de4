/** Reads what accounts hold for many consented orders at once, and reclaims what cannot fund its order. */

import { sendOn } from '@tandem/chain-kit/contract/sending.ts'
import type { Prefund, PrefundedSwap } from '@tandem/chain-kit/port/abilities/prefund.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import { htlcCore } from '@tandem/evm/contract/artifacts/htlc-core.ts'
import { relayGas } from '@tandem/evm/server/fees/relay-gas.ts'
import type { EvmNode } from '@tandem/evm/server/nodes/node.ts'
import { openLane } from '@tandem/evm/server/send/lane.ts'
import { asChainFailure } from '@tandem/evm/server/send/revert.ts'
import { accountOf } from '@tandem/evm/terms/address.ts'
import { type Contracts, type HtlcContract, orderIdOf } from '@tandem/evm/terms/htlc.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { decodeFunctionResult, encodeFunctionData } from 'viem'
import { ownerOf, reclaimData } from '../terms/htlc.ts'

/** Each order takes about 20,000 gas, so a call is far below the gas limit of nodes. */
const ORDERS_PER_CALL = 200

/** This is per order: a reclaim may revert, or HyperCore may drop a part. After that the payer can withdraw alone. */
const MAX_RECLAIMS = 3
const EXHAUSTED_RETRY_MS = 7 * 86_400_000
const REFUSED_RETRY_MS = 3_600_000

export function createPrefund(chain: Chain, node: EvmNode, contracts: Contracts): Omit<Prefund, 'initiate'> {
  async function heldFor(contract: HtlcContract, swaps: readonly PrefundedSwap[]): Promise<readonly bigint[]> {
    const read = { abi: htlcCore.abi, functionName: 'heldFor' } as const
    const amounts: bigint[] = []
    for (let start = 0; start < swaps.length; start += ORDERS_PER_CALL) {
      const page = swaps.slice(start, start + ORDERS_PER_CALL)
      const args = [page.map(ownerOf), page.map(({ terms }) => orderIdOf(contract, terms))] as const
      try {
        const data = await node.call({ to: contract.address, data: encodeFunctionData({ ...read, args }) })
        amounts.push(...decodeFunctionResult({ ...read, data }))
      } catch (error) {
        throw asChainFailure(error, 'asking for consented orders')
      }
    }
    return amounts
  }

  async function amounts(swaps: readonly PrefundedSwap[]): Promise<readonly bigint[]> {
    const found = new Map<PrefundedSwap, bigint>()
    for (const asset of new Set(swaps.map(({ terms }) => terms.asset))) {
      const ofAsset = swaps.filter(({ terms }) => terms.asset === asset)
      const held = await heldFor(contracts.of(asset), ofAsset)
      for (const [index, swap] of ofAsset.entries()) found.set(swap, held[index] ?? 0n)
    }
    return swaps.map((swap) => found.get(swap) ?? 0n)
  }

  async function reclaim(swap: PrefundedSwap, outbox: Outbox): Promise<string | null> {
    const contract = contracts.of(swap.terms.asset)
    const call = { to: contract.address, data: reclaimData(contract, swap), value: 0n }
    const from = accountOf(outbox.key)
    const gasNow = () => relayGas(node, chain, { ...call, from })
    const lane = await openLane(node, chain, outbox, { isObligatory: false })
    const sending = sendOn(lane)
    let live: string | null = null
    for (const signed of lane.pending) live = await sending.keep(signed, gasNow)
    if (live !== null) return live
    const [left = 0n] = await heldFor(contract, [swap])
    if (left === 0n) return null
    const outcomes = await Promise.all(outbox.attempts.map(({ tx }) => node.outcome(tx)))
    if (outcomes.filter((outcome) => outcome !== null).length >= MAX_RECLAIMS) throw reclaimLimitReached(left)
    try {
      await node.call({ ...call, from })
    } catch (error) {
      const failure = asChainFailure(error, 'reclaim')
      // The token refuses the payout, perhaps for a long time. A retry costs us only reads.
      throw failure instanceof ChainFailure && failure.kind === 'would-fail'
        ? new ChainFailure('would-fail', failure.message, { cause: failure, retryAfterMs: REFUSED_RETRY_MS })
        : failure
    }
    return sending.append(call, await gasNow())
  }

  return { amounts, reclaim }
}

function reclaimLimitReached(left: bigint): ChainFailure {
  const refusal = `we have paid for ${MAX_RECLAIMS} reclaims of this order and pay for no more: the payer may send reclaim_transaction`
  return new ChainFailure('would-fail', `reclaim: ${left} are left; ${refusal}`, {
    refusal,
    retryAfterMs: EXHAUSTED_RETRY_MS,
  })
}
