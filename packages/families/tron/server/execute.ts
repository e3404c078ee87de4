/** Simulates calls of the HTLC on Tron, and limits their energy. The order of steps is in `contract/execute.ts`. */

import { type ContractAction, isRelay } from '@tandem/chain-kit/contract/action.ts'
import { createContractExecutor, type Executor } from '@tandem/chain-kit/contract/execute.ts'
import type { ContractFamily, SideCall } from '@tandem/chain-kit/contract/family.ts'
import type { Reverts } from '@tandem/chain-kit/contract/reverts.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { missingApprovals } from '@tandem/evm/server/approval.ts'
import type { ContractState } from '@tandem/evm/server/contract-state.ts'
import type { EvmNode } from '@tandem/evm/server/nodes/node.ts'
import { asChainFailure } from '@tandem/evm/server/send/revert.ts'
import { accountOf as evmAccountOf } from '@tandem/evm/terms/address.ts'
import type { AllowanceOf } from '@tandem/evm/terms/allowance.ts'
import type { HtlcContract } from '@tandem/evm/terms/htlc.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Address } from 'viem'
import { energyFor, energyForRedeem, isAtCap } from './fees/fees.ts'
import { relayEnergy } from './fees/relay-energy.ts'
import type { WalletApi } from './nodes/wallet-api.ts'
import { lanesOf, type TronCost, type TronTypes } from './send/lane.ts'
import { tryPayout } from './send/payout.ts'
import type { TronCall } from './send/raw-data.ts'
import { readAttempt, type SignedCall } from './send/transaction.ts'

/** Parties are named as the contract knows them. */
export type Action = ContractAction<TronCall> & { readonly contract: HtlcContract }

type Step = Action | SideCall<TronTypes>

/** If an initiation reverts each time although its simulation passes, somebody makes it revert, and each attempt costs us energy. */
const MAX_FAILED_INITIATIONS = 3

/** Both results are charged with the whole fee limit. OUT_OF_TIME means a slow block producer, or a long call. */
const outOfResources: ReadonlySet<string> = new Set(['OUT_OF_ENERGY', 'OUT_OF_TIME'])

export type ExecutorParts = {
  readonly chain: Chain
  readonly node: EvmNode
  readonly api: WalletApi
  readonly state: ContractState
  /** What is approved to an HTLC before it can take the amount of an order. */
  readonly allowanceOf: AllowanceOf
}

export function createExecutor(parts: ExecutorParts): Executor<Action> {
  return createContractExecutor(familyOf(parts))
}

function familyOf({ chain, node, api, state, allowanceOf }: ExecutorParts): ContractFamily<TronTypes, Action> {
  async function estimate(step: Step, sender: string, reverts: Reverts<SignedCall>): Promise<TronCost> {
    const { verb } = step
    if (verb === 'cancel') throw new Error('a transaction on Tron cannot be replaced')
    const call = { ...step.call, from: sender as Address }
    // The limit is never raised after a revert: the initiator's contract account could burn it all.
    if ('terms' in step && isRelay(step)) return { verb, need: await relayEnergy(node, call), minLimitSun: 0n }
    const need = await energyFor(node, call, verb)
    return { verb, need, minLimitSun: 'terms' in step ? await nextFeeLimit(step, reverts) : 0n }
  }

  /** The next attempt has at least this fee limit. Rejects if we pay for no further attempt. */
  async function nextFeeLimit({ verb }: Action, { all, byOthers }: Reverts<SignedCall>): Promise<bigint> {
    const last = all.at(-1)
    if (last === undefined) return 0n
    if (verb !== 'initiate' || all.length < MAX_FAILED_INITIATIONS) return byOthers.includes(last) ? 0n : 2n * last.feeLimitSun
    const result = (await api.result(last.tx))?.result ?? 'an unknown result'
    throw new ChainFailure('would-fail', `${verb}: it reverted ${all.length} times, the last time with ${result} in ${last.tx}`)
  }

  /** A called contract can make out-of-energy look like a revert. Then almost the whole fee limit was used. */
  async function ranOutOfEnergy(signed: SignedCall): Promise<boolean> {
    const known = await api.result(signed.tx)
    if (known === null || known.result === 'SUCCESS') return false
    const isSpent = known.energy * (await api.energyPrice()) * 10n >= signed.feeLimitSun * 9n
    return isSpent || outOfResources.has(known.result)
  }

  return {
    senderOf: evmAccountOf,
    read: readAttempt,
    isOwn: (action, call) => call.to === action.call.to,
    mayDoNothing: () => false,
    htlcState: ({ contract, terms }) => state.htlc(contract, terms),
    outcome: (tx) => node.outcome(`0x${tx}`),
    openLane: lanesOf(node, chain, api),
    async sortReverts({ verb }, reverted) {
      const isOurs = await Promise.all(reverted.map(ranOutOfEnergy))
      return {
        all: reverted,
        byOthers: reverted.filter((_, index) => isOurs[index] === false),
        atFeeCap: reverted.filter((signed, index) => isOurs[index] === true && isAtCap(verb, signed)),
      }
    },
    approvals: ({ contract, terms }, sender) => missingApprovals(node, state, contract, terms, sender as Address, allowanceOf(terms)),
    async simulate({ call, verb }, sender) {
      try {
        await node.call({ ...call, from: sender as Address })
      } catch (error) {
        throw asChainFailure(error, verb)
      }
    },
    estimate,
    async tryPayout({ contract, terms, call }, sender) {
      const payout = await tryPayout(api, contract, terms, sender as Address)
      return { verb: 'redeem', need: energyForRedeem(payout, { givesCoin: call.value > 0n }), minLimitSun: 0n }
    },
    simulatesOwnRedeem: true,
    queuedCost: null,
  }
}
