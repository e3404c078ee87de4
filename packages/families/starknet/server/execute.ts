/** Estimates calls of the HTLC on Starknet, which simulates them too. The order of steps is in `contract/execute.ts`. */

import { assertSecret, type ContractAction, isRelay } from '@tandem/chain-kit/contract/action.ts'
import type { HtlcExecutor } from '@tandem/chain-kit/contract/client.ts'
import { createContractExecutor } from '@tandem/chain-kit/contract/execute.ts'
import type { ContractFamily, SideCall } from '@tandem/chain-kit/contract/family.ts'
import { weightOf } from '@tandem/chain-kit/contract/reverts.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { selectors } from '../contract/client/calls.ts'
import { eventKeys } from '../contract/client/events.ts'
import type { Felt } from '../contract/client/felt.ts'
import { feltOf, parseAddress } from '../terms/address.ts'
import { starknetDataOf } from '../terms/chain-data.ts'
import { approvalCallOf, type HtlcContract, initiateCallOf, instantRefundCallOf, redeemCallOf, refundCallOf } from '../terms/htlc.ts'
import { initiatedByOutsideCall } from '../terms/outside-execution.ts'
import { accountOf } from './account.ts'
import type { ContractState } from './contract-state.ts'
import { addGas, assertRelayGas, estimateCalls, redeemGas, USUAL_RELAY_GAS, withMargin } from './fees/gas.ts'
import type { GasAmounts, NodeCall, StarknetNode } from './nodes/node.ts'
import { asChainFailure } from './refusal.ts'
import { createGifts, type Gift, type Gifts } from './send/gift.ts'
import { createLanes, type OpenStarknetLane, type StarknetTypes } from './send/lane.ts'
import { tryPayout } from './send/payout.ts'
import { type Multicall, readAttempt } from './send/transaction.ts'

type Action = ContractAction<Multicall> & {
  readonly contract: HtlcContract
  /** The redeemer's account is asked for its consent when this is mined. */
  readonly asksRedeemer?: true
  /** The redeemer also gets this, by the last of the calls. */
  readonly gift?: Gift
}

type Step = Action | SideCall<StarknetTypes>

export interface StarknetExecutor extends HtlcExecutor<HtlcContract> {
  /** The sender pays. The allowance and the initiation are one transaction, so no allowance is ever left over. */
  initiate(contract: HtlcContract, terms: HtlcTerms, outbox: Outbox): Promise<string>
  /** The user signed the initiation, and it was verified. We stop paying after `revertsPaidFor` reverts. */
  relay(contract: HtlcContract, terms: HtlcTerms, call: NodeCall, outbox: Outbox, limits?: RelayLimits): Promise<string>
  /** The redeemer consented, and its signature was verified. */
  refundInstantly(contract: HtlcContract, terms: HtlcTerms, signature: readonly Felt[], outbox: Outbox): Promise<string>
}

type RelayLimits = { readonly revertsPaidFor?: number }

/** `onTrouble` is called when the sequencer rejected a transaction. */
export function createExecutor(
  chain: Chain,
  node: StarknetNode,
  state: ContractState,
  onTrouble: (what: string) => void = () => undefined,
): StarknetExecutor {
  const { accountClass } = starknetDataOf(chain)
  const gifts = createGifts(chain, node, state)
  const lanes = createLanes(node, chain, state, onTrouble)
  const { send, cancelUnmined } = createContractExecutor(familyOf(chain, node, state, gifts, lanes))
  const act = (verb: Action['verb'], contract: HtlcContract, terms: HtlcTerms, calls: readonly NodeCall[], rest: Partial<Action> = {}) => {
    const parties = { initiator: parseAddress(terms.initiator), redeemer: parseAddress(terms.redeemer) }
    return { verb, contract, terms: { ...terms, ...parties }, call: { calls }, paysAmount: false, ...rest }
  }

  return {
    async initiate(contract, terms, outbox) {
      const initiation = initiateCallOf(contract, terms, accountOf(outbox.key, accountClass))
      const calls = [approvalCallOf(contract, terms.amount), initiation]
      return send(act('initiate', contract, terms, calls, { paysAmount: true }), outbox)
    },
    relay: async (contract, terms, call, outbox, limits) => send(act('initiate', contract, terms, [call], limits), outbox),
    async redeem(contract, terms, secret, outbox, gas) {
      assertSecret(secret, terms)
      const redeem = redeemCallOf(contract, terms, secret)
      if (gas === undefined) return send(act('redeem', contract, terms, [redeem]), outbox)
      const gift = gifts.to(terms, gas)
      return send(act('redeem', contract, terms, [redeem, gift.call], { gift }), outbox)
    },
    refund: async (contract, terms, outbox) => send(act('refund', contract, terms, [refundCallOf(contract, terms)]), outbox),
    async refundInstantly(contract, terms, signature, outbox) {
      const call = instantRefundCallOf(contract, terms, signature)
      return send(act('refund', contract, terms, [call], { asksRedeemer: true }), outbox)
    },
    cancelUnmined,
  }
}

function familyOf(
  chain: Chain,
  node: StarknetNode,
  state: ContractState,
  gifts: Gifts,
  openLane: OpenStarknetLane,
): ContractFamily<StarknetTypes, Action> {
  const { accountClass } = starknetDataOf(chain)

  async function estimate(step: Step, sender: string): Promise<GasAmounts> {
    if ('terms' in step && step.gift !== undefined) await gifts.assertHeld(step.gift, sender)
    try {
      const gas = await estimateCalls(node, feltOf(sender), step.call)
      if ('terms' in step && (isRelay(step) || step.asksRedeemer)) assertRelayGas(step.verb, gas)
      return withMargin(gas)
    } catch (error) {
      throw asChainFailure(error, step.verb)
    }
  }

  /** An account that should have initiated may do nothing, and report success. We have paid for that as for a transaction that reverts. */
  async function didInitiate(tx: string, calls: readonly NodeCall[]): Promise<boolean> {
    const [order] = calls.flatMap((call) => initiatedByOutsideCall(call) ?? [])
    if (order === undefined) return true
    const events = await node.emitted(tx)
    return events.some(({ address, keys: [name, id] }) => address === order.htlc && name === eventKeys.initiated && id === order.orderId)
  }

  return {
    senderOf: (key) => accountOf(key, accountClass),
    read: async (attempt) => readAttempt(attempt),
    isOwn: ({ contract }, { calls }) => calls.some((call) => (initiatedByOutsideCall(call)?.htlc ?? call.to) === contract.address),
    mayDoNothing: () => false,
    exceeds: ({ gift }, { calls }) => gift === undefined && gifts.isAmong(calls),
    htlcState: ({ contract, terms }) => state.htlc(contract, terms),
    /** A transaction that the sequencer rejected is not mined, so it may be sent again. */
    async outcome(tx, { call: { calls } }) {
      const outcome = await node.outcome(tx)
      if (outcome?.kind === 'succeeded') return (await didInitiate(tx, calls)) ? 'success' : 'reverted'
      return outcome?.kind === 'reverted' ? 'reverted' : null
    },
    openLane,
    async sortReverts({ asksRedeemer }, reverted) {
      const reasons = await Promise.all(reverted.map(({ tx }) => node.outcome(tx)))
      // A redeemer's account that takes its consent back must not delay the refund after the timelock.
      const byOthers = reverted.filter(
        ({ call }, index) => !isOutOfGas(reasons[index]) && (asksRedeemer === true || !call.calls.some(isInstantRefund)),
      )
      return { all: reverted, byOthers, atFeeCap: [] }
    },
    revertWeight: ({ gas }) => weightOf(gas.l2Gas, USUAL_RELAY_GAS),
    /** The initiation approves by itself: see `initiate`. */
    async approvals({ contract, terms }, sender) {
      const held = await state.tokenBalance(contract.token, feltOf(sender))
      if (held < terms.amount)
        throw new ChainFailure('would-fail', `initiate: ${sender} holds ${held} of ${terms.asset}, needs ${terms.amount}`)
      return []
    },
    // `estimate` has simulated the call already.
    simulate: async () => undefined,
    estimate,
    async tryPayout({ contract, terms, gift }, sender) {
      const [payment, given] = await Promise.all([
        tryPayout(node, state, contract, terms, feltOf(sender)),
        gift === undefined ? null : gifts.tryAlone(gift, sender),
      ])
      return given === null ? redeemGas(payment) : addGas(redeemGas(payment), given)
    },
    simulatesOwnRedeem: true,
    // The answer is not null, because transactions are mined in the order of their nonces.
    queuedCost: async () => Promise.reject(new Error('nothing waits for an approval')),
  }
}

function isInstantRefund({ selector }: NodeCall): boolean {
  return selector === selectors.instantRefund
}

/** The gas of a first redeem is not estimated, but that of the next one is. */
function isOutOfGas(outcome: Awaited<ReturnType<StarknetNode['outcome']>> | undefined): boolean {
  return outcome?.kind === 'reverted' && /insufficient max L[12]|out of gas/i.test(outcome.reason)
}
