/** Reads what accounts hold for many consented orders at once, and reclaims what cannot fund its order. */

import { sendReclaim } from '@tandem/chain-kit/contract/reclaim.ts'
import type { Prefund, PrefundedSwap } from '@tandem/chain-kit/port/abilities/prefund.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import { htlcCore } from '@tandem/evm/contract/artifacts/htlc-core.ts'
import { simulateReclaim } from '@tandem/evm/server/deposits.ts'
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
    return sendReclaim(
      {
        lane: await openLane(node, chain, outbox, { isObligatory: false }),
        call,
        costNow: () => relayGas(node, chain, { ...call, from }),
        held: async () => (await heldFor(contract, [swap]))[0] ?? 0n,
        simulate: () => simulateReclaim(node, { ...call, from }),
        outcome: (tx) => node.outcome(tx),
        alone: 'the payer may send reclaim_transaction',
      },
      outbox,
    )
  }

  return { amounts, reclaim }
}
