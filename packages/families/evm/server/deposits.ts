/** Deposit addresses: what lies there is read for many swaps at once, opens the order of its swap, or goes back to its initiator. */

import type { Executor } from '@tandem/chain-kit/contract/execute.ts'
import { lastingRefusal, sendReclaim } from '@tandem/chain-kit/contract/reclaim.ts'
import type { Prefund } from '@tandem/chain-kit/port/abilities/prefund.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { type Address, decodeFunctionResult, encodeFunctionData, maxUint256, zeroHash } from 'viem'
import { htlcErc20 } from '../contract/artifacts/htlc-erc20.ts'
import { accountOf } from '../terms/address.ts'
import {
  type AddressRule,
  type DepositedSwap,
  depositAddressData,
  depositAddressOf,
  evmAddressRule,
  initiateDepositData,
  reclaimDepositedData,
} from '../terms/deposit.ts'
import type { Contracts, HtlcContract } from '../terms/htlc.ts'
import type { Action } from './execute.ts'
import { relayGas } from './fees/relay-gas.ts'
import type { EvmNode } from './nodes/node.ts'
import { openLane } from './send/lane.ts'
import { asChainFailure } from './send/revert.ts'

/** Each address takes about 5,000 gas, so a call is far below the gas limit of nodes. */
const ADDRESSES_PER_CALL = 500

export function createDeposits(
  chain: Chain,
  node: EvmNode,
  contracts: Contracts,
  executor: Executor<Action>,
): Required<Omit<Prefund, 'isProven'>> {
  const amounts = depositAmounts(node, (asset) => contracts.of(asset), depositAddressOf)
  return {
    addressOf: (swap) => depositAddressOf(contracts.of(swap.terms.asset), swap),
    amounts,
    async initiate(swap, outbox) {
      const contract = contracts.of(swap.terms.asset)
      const call = { to: contract.address, data: initiateDepositData(contract, swap), value: 0n }
      return executor.send({ verb: 'initiate', contract, terms: swap.terms, call, paysAmount: false }, outbox)
    },
    async reclaim(swap, outbox) {
      const contract = contracts.of(swap.terms.asset)
      const call = { to: contract.address, data: reclaimDepositedData(contract, swap, contract.token), value: 0n }
      const from = accountOf(outbox.key)
      return sendReclaim(
        {
          lane: await openLane(node, chain, outbox, { isObligatory: false }),
          call,
          costNow: () => relayGas(node, chain, { ...call, from }),
          held: async () => (await amounts([swap]))[0] ?? 0n,
          simulate: () => simulateReclaim(node, { ...call, from }),
          outcome: (tx) => node.outcome(tx),
          alone: 'the initiator may send reclaimDeposited',
        },
        outbox,
      )
    },
  }
}

/** The call comes too early. That may change with the next block. */
const TOO_EARLY = /HTLC__NotReturnable/

export async function simulateReclaim(node: EvmNode, call: Parameters<EvmNode['call']>[0]): Promise<void> {
  try {
    await node.call(call)
  } catch (error) {
    const failure = asChainFailure(error, 'reclaim')
    const isLasting = failure instanceof ChainFailure && failure.kind === 'would-fail' && !TOO_EARLY.test(failure.message)
    throw isLasting ? lastingRefusal(failure) : failure
  }
}

/** One request answers for all swaps of an asset, up to a limit. */
export function depositAmounts<S extends DepositedSwap>(
  node: EvmNode,
  contractOf: (asset: AssetId) => HtlcContract,
  addressOf: (contract: HtlcContract, swap: S) => Address,
) {
  return async (swaps: readonly S[]): Promise<readonly bigint[]> => {
    const found = new Map<S, bigint>()
    for (const asset of new Set(swaps.map(({ terms }) => terms.asset))) {
      const contract = contractOf(asset)
      const ofAsset = swaps.filter(({ terms }) => terms.asset === asset)
      for (let start = 0; start < ofAsset.length; start += ADDRESSES_PER_CALL) {
        const page = ofAsset.slice(start, start + ADDRESSES_PER_CALL)
        const balances = await balancesOf(
          node,
          contract,
          page.map((swap) => addressOf(contract, swap)),
        )
        for (const [index, swap] of page.entries()) found.set(swap, balances[index] ?? 0n)
      }
    }
    return swaps.map((swap) => found.get(swap) ?? 0n)
  }
}

async function balancesOf(node: EvmNode, contract: HtlcContract, addresses: readonly Address[]): Promise<readonly bigint[]> {
  const read = { abi: htlcErc20.abi, functionName: 'balancesOfEach' } as const
  try {
    const data = await node.call({ to: contract.address, data: encodeFunctionData({ ...read, args: [addresses] }) })
    return decodeFunctionResult({ ...read, data })
  } catch (error) {
    throw asChainFailure(error, 'reading deposit addresses')
  }
}

/** Any terms do: an address that we compute otherwise than the contract would take money that nobody can move. */
export const PROBE: DepositedSwap = {
  terms: {
    asset: 'probe:probe' as AssetId,
    initiator: '0x1111111111111111111111111111111111111111',
    redeemer: '0x2222222222222222222222222222222222222222',
    timelock: 3n,
    amount: maxUint256,
    secretHash: zeroHash.slice(2),
  },
  deadline: 4n,
}

/** Before the first address is told to a user, each HTLC has answered with the address that we compute. */
export async function verifyDeposits(chain: Chain, node: EvmNode, contracts: Contracts, rule: AddressRule = evmAddressRule): Promise<void> {
  for (const contract of contracts.all) {
    const expected = depositAddressOf(contract, PROBE, rule)
    const answer = await node.call({ to: contract.address, data: depositAddressData(contract, PROBE) }).catch((error: unknown) => {
      throw asChainFailure(error, 'depositAddressFrom')
    })
    if (BigInt(answer) !== BigInt(expected))
      throw new ChainFailure(
        'would-fail',
        `${chain.id}: the HTLC at ${contract.address} has the deposit address ${answer} where we compute ${expected}`,
      )
  }
}
