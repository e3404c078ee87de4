/** Simulates transactions of the HTLC module and sets their gas. The order of steps is in `contract/execute.ts`. */

import { assertSecret, type ContractAction } from '@tandem/chain-kit/contract/action.ts'
import type { HtlcExecutor } from '@tandem/chain-kit/contract/client.ts'
import { createContractExecutor } from '@tandem/chain-kit/contract/execute.ts'
import type { ContractFamily, SideCall } from '@tandem/chain-kit/contract/family.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { accountOf, parseAddress } from '../terms/address.ts'
import { SUI_TYPE } from '../terms/coin-type.ts'
import type { HtlcContract } from '../terms/htlc.ts'
import {
  type Consent,
  initiateCallOf,
  instantRefundCallOf,
  redeemCallOf,
  refundCallOf,
  type SuiCall,
  transactionWith,
} from '../terms/send/call.ts'
import { readAttempt } from '../terms/send/transaction.ts'
import { newestBlock } from './blocks.ts'
import { readHtlcState } from './contract-state.ts'
import type { Deployments, Verified } from './deployments.ts'
import { type GasNeed, needOf, redeemGivingNeed, redeemNeed } from './fees/gas.ts'
import type { NodeCoin, SuiNode } from './nodes/node.ts'
import { chooseCoins, totalOf } from './send/coins.ts'
import { asChainFailure } from './send/failure.ts'
import { openLane, type SuiTypes } from './send/lane.ts'
import { tryPayout } from './send/payout.ts'
import { simulateCommands } from './send/simulate.ts'

type Action = ContractAction<SuiCall> & { readonly deployed: Verified }

type Step = Action | SideCall<SuiTypes>

export interface SuiExecutor extends HtlcExecutor<HtlcContract> {
  /** The redeemer's consent was verified. */
  refundInstantly(contract: HtlcContract, terms: HtlcTerms, consent: Consent, outbox: Outbox): Promise<string>
}

/** Our own initiation may be executed for at most this long. */
const INITIATE_SECONDS = 3_600n
/** An initiation with less time left would not be executed before its deadline. */
const MIN_INITIATE_SECONDS = 5n

export function createExecutor(chain: Chain, node: SuiNode, deployments: Deployments): SuiExecutor {
  const { send, cancelUnmined } = createContractExecutor(familyOf(chain, node))
  const act = (verb: Action['verb'], deployed: Verified, terms: HtlcTerms, call: SuiCall) => {
    const parties = { initiator: parseAddress(terms.initiator), redeemer: parseAddress(terms.redeemer) }
    const { publication } = deployed
    return { verb, deployed, terms: { ...terms, ...parties }, call: { ...call, publication }, paysAmount: verb === 'initiate' }
  }

  return {
    async initiate(contract, terms, outbox) {
      const [deployed, deadlineMs] = await Promise.all([deployments.of(contract), deadlineOf(node, outbox)])
      return send(act('initiate', deployed, terms, initiateCallOf(deployed, terms, deadlineMs)), outbox)
    },
    async redeem(contract, terms, secret, outbox, gas) {
      assertSecret(secret, terms)
      const deployed = await deployments.of(contract)
      return send(act('redeem', deployed, terms, redeemCallOf(deployed, terms, secret, gas)), outbox)
    },
    async refund(contract, terms, outbox) {
      const deployed = await deployments.of(contract)
      return send(act('refund', deployed, terms, refundCallOf(deployed, terms)), outbox)
    },
    async refundInstantly(contract, terms, consent, outbox) {
      const deployed = await deployments.of(contract)
      return send(act('refund', deployed, terms, instantRefundCallOf(deployed, terms, consent)), outbox)
    },
    cancelUnmined,
  }
}

/** A late initiation is worse than none. The time is that of the chain's clock, in milliseconds. */
async function deadlineOf(node: SuiNode, { secondsLeft }: Outbox): Promise<bigint> {
  const left = secondsLeft === null || secondsLeft > INITIATE_SECONDS ? INITIATE_SECONDS : secondsLeft
  if (left < MIN_INITIATE_SECONDS) throw new ChainFailure('would-fail', 'initiate: too close to its deadline')
  return ((await newestBlock(node)).time + left) * 1000n
}

function familyOf(chain: Chain, node: SuiNode): ContractFamily<SuiTypes, Action> {
  /** Coins of another transaction may be used: a simulation spends nothing. */
  async function tokensFor({ call, terms }: Action, sender: string): Promise<readonly NodeCoin[]> {
    const { spends } = call
    if (spends === null || spends.coinType === SUI_TYPE) return []
    const coins = await node.coins(parseAddress(sender), spends.coinType)
    const chosen = chooseCoins(coins, spends.amount, coins.length)
    if (chosen === null)
      throw new ChainFailure('would-fail', `initiate: ${sender} holds ${totalOf(coins)} of ${terms.asset}, needs ${spends.amount}`)
    return chosen.coins
  }

  /** The simulation uses the form in which the call would be sent. */
  async function estimate(step: Step, sender: string): Promise<GasNeed> {
    if (!('terms' in step)) throw new Error(`a transaction on Sui needs no ${step.verb}`)
    const tokens = await tokensFor(step, sender)
    const { failure, gas, price } = await simulateCommands(node, parseAddress(sender), transactionWith(step.call, tokens))
    if (failure !== null) throw asChainFailure(failure, step.verb, step.deployed.packageId)
    return needOf(gas, price)
  }

  return {
    senderOf: accountOf,
    read: async (attempt) => readAttempt(attempt),
    isOwn: () => true,
    mayDoNothing: () => false,
    htlcState: ({ deployed, terms }) => readHtlcState(node, deployed, terms),
    async outcome(tx) {
      const outcome = await node.outcome(tx)
      return outcome === null ? null : outcome.failure === null ? 'success' : 'reverted'
    },
    openLane: (outbox) => openLane(node, chain, outbox),
    /** Congestion has no culprit. The next attempt offers more. */
    async sortReverts(_, reverted) {
      const outcomes = await Promise.all(reverted.map(({ tx }) => node.outcome(tx)))
      return { all: reverted, byOthers: reverted.filter((_signed, i) => outcomes[i]?.failure?.isCongested !== true), atFeeCap: [] }
    },
    /** Coins need no approval, because their owner signs. `estimate` reports what is missing. */
    approvals: async () => [],
    // `estimate` has simulated the call already.
    simulate: async () => undefined,
    estimate,
    async tryPayout({ deployed, terms, call }, sender) {
      await tryPayout(node, deployed.coinType, terms.redeemer, parseAddress(sender))
      return call.spends === null ? redeemNeed : redeemGivingNeed
    },
    // The fixed gas is enough for every redeem.
    simulatesOwnRedeem: false,
    queuedCost: null,
  }
}
