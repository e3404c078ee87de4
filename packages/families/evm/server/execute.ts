/** Simulates calls of the HTLC on EVM chains, and limits their gas. The order of steps is in `contract/execute.ts`. */

import { type ContractAction, isRelay } from '@tandem/chain-kit/contract/action.ts'
import { createContractExecutor, type Executor } from '@tandem/chain-kit/contract/execute.ts'
import type { ContractFamily, SideCall } from '@tandem/chain-kit/contract/family.ts'
import { weightOf } from '@tandem/chain-kit/contract/reverts.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Address, Hex } from 'viem'
import { accountOf } from '../terms/address.ts'
import type { AllowanceOf } from '../terms/allowance.ts'
import { type HtlcContract, isRedeemBatch } from '../terms/htlc.ts'
import { missingApprovals } from './approval.ts'
import type { ContractState } from './contract-state.ts'
import { feeModelOf, offeredAs, suggestFees } from './fees/fees.ts'
import { batchGas, EMPTIED_SLOTS_GAS, gasFor, safeGas } from './fees/gas.ts'
import { relayGas, USUAL_RELAY_GAS } from './fees/relay-gas.ts'
import type { EvmNode } from './nodes/node.ts'
import { NodeRefusal } from './nodes/rpc.ts'
import { type EvmTypes, openLane } from './send/lane.ts'
import { createPayoutTrial, type TriedOrder } from './send/payout-trial.ts'
import { asChainFailure, isOutOfGas, isRevert } from './send/revert.ts'
import { readAttempt, type TransactionCall } from './send/transaction.ts'

export type Action = ContractAction<TransactionCall> & {
  readonly contract: HtlcContract
  /** Calls of the same contract with such calldata only prepare this one. They do not count as its attempts. */
  readonly isPreparation?: (data: Hex) => boolean
  /** Each redeem of a batch has its terms here, all of one redeemer. `terms` are then those of one of them. */
  readonly batch?: readonly HtlcTerms[]
}

type Step = Action | SideCall<EvmTypes>

/** What is approved to an HTLC before it can take the amount of an order, in units of the token. */
export type ApprovalOf = (terms: Parameters<AllowanceOf>[0]) => bigint | Promise<bigint>

export function createExecutor(chain: Chain, node: EvmNode, state: ContractState, approvalOf: ApprovalOf): Executor<Action> {
  const executor = createContractExecutor(familyOf(chain, node, state, approvalOf))
  return {
    ...executor,
    send: (action, outbox) => executor.send({ ...action, terms: withCanonicalParties(action.terms) }, outbox),
  }
}

function familyOf(chain: Chain, node: EvmNode, state: ContractState, approvalOf: ApprovalOf): ContractFamily<EvmTypes, Action> {
  const payout = createPayoutTrial(node)

  async function estimate(step: Step, sender: string): Promise<bigint> {
    const call = { ...step.call, from: sender as Address }
    if (step.verb !== 'initiate') return gasFor(node, chain, call, step.verb, extraOf(step))
    const gas = isRelay(step) ? await relayGas(node, chain, call) : await gasFor(node, chain, call, step.verb)
    return gas + EMPTIED_SLOTS_GAS
  }

  async function simulate({ call, verb }: Step, sender: string): Promise<void> {
    try {
      await node.call({ ...call, from: sender as Address })
    } catch (error) {
      throw asChainFailure(error, verb)
    }
  }

  /** The simulation has the gas and the fees of the transaction, because the contracts that it calls may read them. */
  async function simulateAsSent(action: Action, sender: string, cost: Promise<bigint>): Promise<void> {
    try {
      const [gas, fees] = await Promise.all([isOurInitiation(action) ? twiceTheGas(action) : cost, offeredFees()])
      await node.call({ ...action.call, from: sender as Address, gas, ...fees })
    } catch (error) {
      if (isRevert(error) || isOutOfGas(error)) throw asChainFailure(error, action.verb)
      if (error instanceof ChainFailure ? error.kind !== 'would-fail' : !(error instanceof NodeRefusal)) throw error
      // A call has no gas limit if it would revert, the node supports no gas and fees in a call, or the sender could not pay for the gas.
      await simulate(action, sender)
    }
  }

  /** No stranger decides about our own initiation, so the gas estimate is its only simulation. With a gas limit, out of gas could not be told from a revert. */
  const isOurInitiation = ({ verb, paysAmount }: Action) => verb === 'initiate' && paysAmount
  const twiceTheGas = async (action: Action) => 2n * (await safeGas(node, chain, action.call, action.verb, extraOf(action)))

  const offeredFees = async () => offeredAs(chain, await suggestFees(node, feeModelOf(chain)))

  async function triedOrders({ contract, terms, batch }: Action): Promise<readonly TriedOrder[]> {
    if (batch === undefined) return [{ terms, isOpen: true }]
    return Promise.all(batch.map(async (one) => ({ terms: one, isOpen: (await state.htlc(contract, one)) === 'open' })))
  }

  const queuedCost = (step: Step) => safeGas(node, chain, step.call, step.verb, extraOf(step))

  return {
    senderOf: accountOf,
    read: async (attempt) => readAttempt(attempt),
    isOwn: (action, call) => call.to === action.call.to && action.isPreparation?.(call.data) !== true,
    async htlcState({ contract, terms, batch = [terms] }) {
      const states = await Promise.all(batch.map((one) => state.htlc(contract, one)))
      return (['open', 'absent', 'redeemed'] as const).find((kind) => states.includes(kind)) ?? 'refunded'
    },
    mayDoNothing: ({ data }) => isRedeemBatch(data),
    exceeds: ({ call }, recorded) => call.value < recorded.value,
    outcome: (tx) => node.outcome(tx),
    openLane: (outbox, duty) => openLane(node, chain, outbox, duty),
    sortReverts: async (_, reverted) => ({ all: reverted, byOthers: reverted, atFeeCap: [] }),
    revertWeight: ({ gas }) => weightOf(gas, USUAL_RELAY_GAS),
    approvals: async ({ contract, terms }, sender) =>
      missingApprovals(node, state, contract, terms, sender as Address, await approvalOf(terms)),
    simulate: (step, sender, cost) => ('terms' in step ? simulateAsSent(step, sender, cost) : simulate(step, sender)),
    estimate,
    async tryPayout(action, sender) {
      const { contract, call } = action
      const [fees, gas, orders] = await Promise.all([offeredFees(), queuedCost(action), triedOrders(action)])
      await payout.try(contract, orders, { sender: sender as Address, call, gas, fees })
      return gas
    },
    // The fixed gas limit covers every redeem.
    simulatesOwnRedeem: false,
    queuedCost,
  }
}

function extraOf(step: Step): bigint {
  return 'terms' in step && step.batch !== undefined ? batchGas(step.batch.length) : 0n
}

function withCanonicalParties<T extends Action['terms']>(terms: T): T {
  return { ...terms, initiator: terms.initiator.toLowerCase(), redeemer: terms.redeemer.toLowerCase() }
}
