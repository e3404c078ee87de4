/** This explains why an order does not move, in the words of the playbook. The answer is derived for each request and never stored. */

import type { KnownAction } from '@tandem/party/store/operator-view/order-history.ts'
import type { OrderSnapshot } from '@tandem/party/store/orders/orders.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { nextActionMeanings } from '@tandem/protocol/next-actions.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import { awaitsFill, awaitsPayment, playbook, whyNotReveal } from '@tandem/protocol/playbook.ts'
import { hasSignedInstantRefund, isArriving, isExpired, type OrderState, statusTable } from '@tandem/protocol/state.ts'
import type { RuleRecord, WaitRecord } from '@tandem/protocol/wire/operator.ts'
import { deriveNextAction } from '../orders/next-action.ts'

/** Returns null when nothing is left to do. */
export function waitsFor(state: OrderState, refusals: OrderSnapshot['refusals']): WaitRecord | null {
  const next = deriveNextAction(state, refusals)
  if (next === null) return null
  const detail = next.why ?? detailOf(state)
  const text = `${nextActionMeanings[next.what]}${detail === null ? '' : `: ${detail}`}`
  return { who: next.who, text, by: next.by === null ? null : timeOf(next.by) }
}

/** Returns what the next step still lacks, or null if nothing is known here. */
function detailOf(state: OrderState): string | null {
  const { source, destination } = state
  switch (state.status) {
    case 'initiate_detected':
      if (isArriving(state)) return 'the amount is at the deposit address'
      return confirmationsText(state, 'source')
    case 'initiated':
      if (!state.chainsAlive) return 'a chain has not made a block for too long'
      if (awaitsFill(state)) return 'it has not signed yet which deposits it pays for'
      return awaitsPayment(state) ? 'all is agreed, its payment is not seen yet' : null
    case 'counterparty_initiate_detected':
      return confirmationsText(state, 'destination')
    case 'counterparty_initiated':
      return whyNotReveal(state)
    case 'redeem_detected':
      return 'the redeem of the destination is not in a block yet'
    case 'redeemed':
      return source.phase === 'redeeming' ? 'its redeem is not in a block yet' : 'the secret is public'
    case 'awaiting_refund':
      if (state.declined !== null) return `the solver declined: ${state.declined}`
      if (destination.deposits.some(({ spend }) => spend === null)) return 'the solver has not refunded the destination yet'
      return source.deposits.some(isExpired) ? 'the timelock of the source has ended' : 'the timelock of the source has not ended'
    case 'refund_detected':
      return 'the refund is not in a block yet'
    default:
      return null
  }
}

function confirmationsText(state: OrderState, leg: Leg): string {
  return `the ${leg} has ${state[leg].confirmations} of ${state.order[leg].requiredConfirmations} confirmations`
}

export function statusMeaning({ status }: OrderState): string {
  return statusTable.find((row) => row.status === status)?.when ?? ''
}

/** Says why an order with a deposit cannot complete any more. The table of statuses decides it. */
export function whyNotComplete(state: OrderState): string {
  const { source, destination, order } = state
  if (destination.phase === 'refunded' || destination.phase === 'refunding') return 'the solver took the destination back'
  if (state.declined !== null) return `the solver declined: ${state.declined}`
  if (hasSignedInstantRefund(state)) return 'an instant refund was asked for and signed'
  if ((source.counted.length > 0 ? source.counted : source.deposits).some(isExpired)) return 'the timelock of the source has ended'
  if (source.counted.length === 0) return `the deposits add up to ${source.filledAmount}, the agreed amount is ${order.source.terms.amount}`
  if (!state.fundedInTime) return 'the source was funded after the deadline'
  return 'too little time is left for the solver to pay'
}

export function judgeRules(state: OrderState): readonly RuleRecord[] {
  return playbook.map(({ who, verb, leg, when, holds }) => ({ who, verb, leg, when, holds: holds(state) }))
}

export type StuckFacts = {
  readonly state: OrderState
  readonly chains: Readonly<Record<Leg, Chain>>
  readonly actions: readonly KnownAction[]
  /** This is the time in Unix seconds at which the status last changed. */
  readonly since: bigint
  readonly now: bigint
}

const MANY_FAILURES = 5
/** The allowance is added to the time that blocks take: nodes, retries and people are slow at times. */
const ALLOWANCE_SECONDS = 600n
/** Solvers delay a redeem to batch it with others, by an hour by default. */
const MAX_REDEEM_SECONDS = 7200n
const BLOCKS_FACTOR = 3n

/** Returns why an order counts as stuck, or null if it moves as it should or waits for its user. */
export function whyStuck(facts: StuckFacts): string | null {
  const failing = facts.actions.find(({ wanted, failures }) => wanted && failures >= MANY_FAILURES)
  if (failing !== undefined)
    return `${failing.verb} ${failing.leg} failed ${failing.failures} times: ${failing.lastError ?? 'no reason is known'}`
  const allowed = allowedSeconds(facts)
  const waited = facts.now - facts.since
  if (allowed === null || waited <= allowed) return null
  return `${facts.state.status} for ${durationText(waited)}, expected at most ${durationText(allowed)}`
}

/** Returns the time that the status may take, or null if it takes as long as the user or a timelock does. */
function allowedSeconds({ state, chains }: StuckFacts): bigint | null {
  const blocks = (leg: Leg) =>
    (BigInt(state.order[leg].requiredConfirmations) * chains[leg].blockMs * BLOCKS_FACTOR) / 1000n + ALLOWANCE_SECONDS
  const waitsForUser = waitsFor(state, new Map())?.who === 'user'
  switch (state.status) {
    case 'initiate_detected':
    case 'refund_detected':
      return waitsForUser ? null : blocks('source')
    case 'initiated':
      return ALLOWANCE_SECONDS
    case 'counterparty_initiate_detected':
    case 'redeem_detected':
      return blocks('destination')
    case 'counterparty_initiated':
      return waitsForUser ? null : ALLOWANCE_SECONDS
    case 'redeemed':
      return MAX_REDEEM_SECONDS
    default:
      return null
  }
}

export function durationText(seconds: bigint): string {
  const [days, hours, minutes] = [seconds / 86_400n, (seconds % 86_400n) / 3600n, (seconds % 3600n) / 60n]
  if (days > 0n) return `${days} d ${hours} h`
  if (hours > 0n) return `${hours} h ${minutes} min`
  return minutes > 0n ? `${minutes} min` : `${seconds} s`
}

export function timeOf(seconds: bigint): string {
  return new Date(Number(seconds) * 1000).toISOString()
}
