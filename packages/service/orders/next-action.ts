/** The next action of an order is derived from its state: the party, the verb and the deadline. */

import type { OrderSnapshot } from '@tandem/party/store/orders/orders.ts'
import type { NextActionName } from '@tandem/protocol/next-actions.ts'
import type { ActionVerb } from '@tandem/protocol/order.ts'
import { awaitsClientSecret, consentTo, mayReclaim } from '@tandem/protocol/playbook.ts'
import { isArriving, type OrderState } from '@tandem/protocol/state.ts'

export type NextAction = {
  readonly who: 'user' | 'solver' | 'service'
  readonly what: NextActionName
  /** The deadline is in Unix seconds. It is null if there is none, or none is known yet. */
  readonly by: bigint | null
  readonly or?: 'instant-refund'
  readonly why?: string
}

type Refusals = OrderSnapshot['refusals']

/** Returns null when nothing is left to do. Reclaiming a prefunded amount comes last. */
export function deriveNextAction(state: OrderState, refusals: Refusals): NextAction | null {
  const next = nextStep(state, refusals)
  if (next !== null || !mayReclaim(state)) return next
  const why = refusals.get('reclaim')
  return { who: 'service', what: 'reclaim_deposit', by: null, ...(why !== undefined && { who: 'user', why }) }
}

/**
 * A signature has no deadline of its own. The service does not use it once the order is over, but anyone who gets it could, as long as the
 * initiator has the tokens and the allowance, or money in an account at the HTLC.
 */
export function adviseRevoke(state: OrderState): NextAction | null {
  if (state.status !== 'expired' || consentTo(state, 'source')?.kind !== 'signature') return null
  const why =
    'the order expired and is not initiated any more, but your signature stays valid at the contract: to withdraw it, send revoke_transaction of GET /orders/{id}/funding; reclaim_transaction, where there is one, takes back what was paid in'
  return { who: 'user', what: 'revoke_signature', by: null, why }
}

function nextStep(state: OrderState, refusals: Refusals): NextAction | null {
  const { order, now } = state
  const whyNot = (verb: ActionVerb) => {
    const why = refusals.get(verb)
    return why === undefined ? {} : { why }
  }
  const within = (seconds: bigint) => (seconds > 0n ? now + seconds : null)
  switch (state.status) {
    case 'created':
      return {
        who: consentTo(state, 'source') === null || refusals.has('initiate') ? 'user' : 'service',
        what: 'initiate_source',
        by: order.deadline,
        ...whyNot('initiate'),
      }
    case 'initiate_detected':
      if (isArriving(state) && state.prefund < order.source.terms.amount)
        return { who: 'user', what: 'complete_source_deposit', by: order.deadline, why: whyMore(state) }
      if (isArriving(state))
        return { who: refusals.has('initiate') ? 'user' : 'service', what: 'initiate_source', by: order.deadline, ...whyNot('initiate') }
      return state.source.phase === 'mismatched'
        ? { who: 'user', what: 'complete_source_deposit', by: order.deadline, or: 'instant-refund', why: whyIncomplete(state) }
        : { who: 'solver', what: 'initiate_destination', by: within(state.gapSeconds) }
    case 'initiated':
      return { who: 'solver', what: 'initiate_destination', by: within(state.gapSeconds) }
    case 'counterparty_initiate_detected':
      // The user need not act before the required confirmations.
      if (isSecretKept(state)) return { who: 'solver', what: 'initiate_destination', by: null }
      return { who: 'service', what: 'redeem_destination', by: within(state.revealSecondsLeft) }
    case 'counterparty_initiated':
      if (order.destination.clientKey) return { who: 'user', what: 'redeem_destination', by: within(state.revealSecondsLeft) }
      if (awaitsClientSecret(state)) return { who: 'user', what: 'reveal_secret', by: within(state.revealSecondsLeft) }
      return { who: 'service', what: 'redeem_destination', by: within(state.revealSecondsLeft), ...whyNot('redeem') }
    case 'redeem_detected':
    case 'redeemed':
      return { who: 'solver', what: 'redeem_source', by: null }
    case 'awaiting_refund':
      if (order.source.userAddress === null) return { who: 'user', what: 'give_refund_address', by: null }
      return { who: order.source.clientKey ? 'user' : 'service', what: 'refund_source', by: null, ...whyNot('refund') }
    case 'refund_detected':
      return { who: 'service', what: 'refund_source', by: null }
    case 'refunded':
    case 'expired':
    case 'counterparty_redeemed':
      return null
  }
}

function whyIncomplete({ source, order }: OrderState): string {
  const paid = source.deposits.filter(({ spend }) => spend === null).reduce((sum, { amount }) => sum + amount, 0n)
  const { amount } = order.source.terms
  return `the deposits add up to ${paid} of ${amount}: send the missing ${amount - paid} to the same address by the deadline, or take them back at once with PATCH ?action=instant-refund and the order_token; after the deadline they are refunded by themselves`
}

function whyMore({ prefund, order }: OrderState): string {
  const { amount } = order.source.terms
  return `${prefund} of ${amount} is at the deposit address: send the missing ${amount - prefund} to it by the deadline; after the deadline what is there is returned to the initiator`
}

function isSecretKept(state: OrderState): boolean {
  return state.clientSecret && !state.grants.some((grant) => grant.kind === 'redeem')
}
