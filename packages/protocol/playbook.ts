/** The whole protocol is one table: party, verb, leg and condition. No other code decides to move money. */
import {
  type ActionVerb,
  type Consent,
  type InitiateGrant,
  type Leg,
  type Order,
  otherLeg,
  type Role,
  type SignedInstantRefund,
} from './order.ts'
import { hasSignedInstantRefund, isClosed, isExpired, isStray, type OrderState } from './state.ts'
import type { Deposit, Spend, SwapState } from './swap-state.ts'

export type Rule = {
  readonly who: Role
  readonly verb: ActionVerb
  readonly leg: Leg
  /** docs/lifecycle.md shows the condition in these words. */
  readonly when: string
  readonly holds: (s: OrderState) => boolean
  /** The action touches neither HTLC. It does not keep an order open, and is still done after the order is closed. */
  readonly outlivesOrder?: true
}

/** A relayed initiation must be sent this long before the deadline, to be mined in time. */
export const RELAY_SECONDS = 60n

const MIN_RECLAIMED_PERCENT = 1n

export const playbook: readonly Rule[] = [
  // Forward: the user funds, the solver pays, and the secret pays both.
  {
    who: 'service',
    verb: 'initiate',
    leg: 'source',
    when: 'the user consented, by a signature or by paying in advance, there is no deposit yet, and an initiation can still be mined before the deadline',
    holds: (s) => consentTo(s, 'source') !== null && s.source.phase === 'waiting' && s.now + RELAY_SECONDS < s.order.deadline,
  },
  {
    who: 'solver',
    verb: 'initiate',
    leg: 'destination',
    when: 'no destination deposit is mined, and either: both chains are alive, the source is initiated in time with the deposits that the solver signed for and did not decline, and outlives the destination by all margins; or: the solver has redeemed the source, and a reorg removed its destination deposit. Never after it signed an instant refund of a deposit it would be paid with',
    holds: (s) => !hasSignedInstantRefund(s) && isOpen(s.destination) && (maySolverPay(s) || isSolverPaid(s)),
  },
  {
    who: 'service',
    verb: 'redeem',
    leg: 'destination',
    when: 'the user has not kept the key, and either: the service has the secret, both chains are alive, both legs are initiated in time as agreed, the source is not expired and enough of the destination timelock is left; or: the secret is out (another party may know it) and the destination is not yet redeemed or refunded',
    holds: (s) =>
      !s.order.destination.clientKey &&
      ((hasSecret(s) && whyNotReveal(s) === null) || (isSecretOut(s) && redeemable(s, 'destination').length > 0)),
  },
  {
    who: 'solver',
    verb: 'redeem',
    leg: 'source',
    when: 'the secret is public, the source is not yet redeemed or refunded, and the solver has not refunded the destination',
    holds: (s) => s.secret !== null && s.destination.phase !== 'refunded' && redeemable(s, 'source').length > 0,
  },
  // Backward: each party refunds its own expired deposits.
  {
    who: 'solver',
    verb: 'refund',
    leg: 'destination',
    when: 'a destination deposit is expired and unspent, and not owed to the user. It is owed once the source is redeemed, or the secret is out and the source can be redeemed',
    holds: (s) => refundable(s, 'destination').length > 0,
  },
  {
    who: 'service',
    verb: 'refund',
    leg: 'source',
    when: 'either: a source deposit is expired and unspent, its refund address is known, the user has not kept the key, and it is not owed to the solver (it is owed once the destination is redeemed, or the secret is out and the destination can be redeemed); or: both parties signed an instant refund of a deposit that is not expired (or is expired, if the user kept the key), and either it is a stray, or the secret is not out and there is no destination deposit, or only refunded ones',
    holds: (s) => mayRefundForUser(s) || instantRefunds(s).length > 0,
  },
  // Outside the HTLC: a prefund that came too late, is too small, or was paid twice.
  {
    who: 'service',
    verb: 'reclaim',
    leg: 'source',
    when: 'at least 1 % of the amount lies at the deposit address of the order; or in the account of the payer at the HTLC, the payer consented to the order on the chain, and no other order of the payer waits for it. No initiation can use it: the source is mined, or the deadline has passed. It is returned to the initiator or the payer, even if a third party paid it',
    holds: mayReclaim,
    outlivesOrder: true,
  },
  // After the end: settled HTLCs keep rent, which goes back to its payer.
  {
    who: 'service',
    verb: 'close',
    leg: 'source',
    when: 'the order is finished (every deposit is finally spent), and the source HTLC keeps rent. It goes to whoever paid it: the service, or the user',
    holds: (s) => mayClose(s, 'source'),
    outlivesOrder: true,
  },
  {
    who: 'solver',
    verb: 'close',
    leg: 'destination',
    when: 'the order is finished, and the destination HTLC keeps rent, which the solver paid',
    holds: (s) => mayClose(s, 'destination'),
    outlivesOrder: true,
  },
]

export function consentTo(s: Pick<OrderState, 'grants'>, leg: Leg): Consent | null {
  return s.grants.find((grant): grant is InitiateGrant => grant.kind === 'initiate' && grant.leg === leg)?.consent ?? null
}

/** Returns true if the solver, when it pays now, can collect on the source in every case. */
export function maySolverPay(s: OrderState): boolean {
  return s.isAgreed && s.declined === null && s.chainsAlive && s.source.phase === 'initiated' && s.fundedInTime && s.gapSeconds > 0n
}

/** Returns true if no initiation can use the prefund, and it is worth the fee of returning it. */
export function mayReclaim(s: OrderState): boolean {
  const isPastFunding = s.source.deposits.some((d) => d.block !== null) || s.now > s.order.deadline
  return isPastFunding && isWorthReclaiming(s.order, s.prefund)
}

/** A smaller amount costs the service more than it is worth. Its owner can still reclaim it. */
export function isWorthReclaiming({ source }: Order, amount: bigint): boolean {
  return amount * 100n >= source.terms.amount * MIN_RECLAIMED_PERCENT
}

/** The family decides when the account can be closed. */
function mayClose(s: OrderState, leg: Leg): boolean {
  return s.keepsRent[leg] && s[leg].deposits.length > 0 && isClosed(s)
}

function mayRefundForUser(s: OrderState): boolean {
  const { userAddress, clientKey } = s.order.source
  return userAddress !== null && !clientKey && refundable(s, 'source').length > 0
}

/** Returns true if the solver has redeemed the whole source. It then owes the destination, and initiates it again if a reorg removed it. */
function isSolverPaid(s: OrderState): boolean {
  const required = BigInt(s.order.source.requiredConfirmations)
  return (
    s.fundedInTime &&
    s.source.phase === 'redeemed' &&
    s.source.counted.every((d) => d.spend?.kind === 'redeemed' && d.spend.confirmations >= required)
  )
}

/** Returns true if the service made the secret or the client gave it. */
function hasSecret(s: OrderState): boolean {
  return !s.clientSecret || s.grants.some((grant) => grant.kind === 'redeem')
}

/** The reveal rule: while all conditions hold, showing the secret cannot cost the user both legs. `otherwise` is the reason while a condition does not hold. */
const revealRule: readonly { readonly holds: (s: OrderState) => boolean; readonly otherwise: string }[] = [
  { holds: (s) => s.source.phase === 'initiated', otherwise: 'the source is not initiated at its required confirmations' },
  { holds: (s) => s.fundedInTime, otherwise: 'the source was funded after the deadline' },
  { holds: (s) => s.isAgreed, otherwise: 'the solver has not signed for these deposits' },
  { holds: (s) => !s.source.counted.some(isExpired), otherwise: 'the timelock of the source has ended' },
  { holds: (s) => s.destination.phase === 'initiated', otherwise: 'the destination is not initiated at its required confirmations' },
  // The payout was checked for one deposit only, and an honest solver makes exactly one.
  { holds: (s) => s.destination.counted.length === 1, otherwise: 'the destination is not exactly one deposit' },
  { holds: (s) => s.revealSecondsLeft > 0n, otherwise: 'too little time is left of the destination timelock' },
  { holds: (s) => s.chainsAlive, otherwise: 'a chain has not made a block for too long' },
]

/** Returns the reason why the secret may not be shown, or null when it may be. */
export function whyNotReveal(s: OrderState): string | null {
  return revealRule.find((condition) => !condition.holds(s))?.otherwise ?? null
}

/** Returns true if the destination could be redeemed now with the client's secret. */
export function awaitsClientSecret(s: OrderState): boolean {
  return !hasSecret(s) && !isSecretOut(s) && whyNotReveal(s) === null
}

/** Returns true if a party other than the service may know the secret: a node may have it, or it was seen on a chain. */
function isSecretOut(s: OrderState): boolean {
  return s.secretShown || s.secret !== null
}

/** A redeem takes the deposits that count and have no mined spend. */
export function redeemable(s: OrderState, leg: Leg): readonly Deposit[] {
  return s[leg].counted.filter((d) => d.spend?.block == null)
}

/** A refund takes the deposits that are expired, have no mined spend, and are not owed to the redeemer of this leg. */
export function refundable(s: OrderState, leg: Leg): readonly Deposit[] {
  const owed = isOwed(s, leg)
  return s[leg].deposits.filter((d) => isExpired(d) && d.spend?.block == null && !d.writtenOff && !(owed && s[leg].counted.includes(d)))
}

/**
 * True if this source deposit may be refunded before its timelock ends: the solver does not pay for this deposit (a stray) or for the order at all, and the user
 * cannot get the destination too.
 */
export function mayRefundInstantly(s: OrderState, depositId: string): boolean {
  return isStray(s, depositId) || (!isSecretOut(s) && (s.destination.counted.length === 0 || s.destination.phase === 'refunded'))
}

/**
 * True if the solver may sign an instant refund of this deposit: if it ever initiated the destination, the refund of that is final. It also must never have
 * committed to paying, which its own database knows.
 */
export function maySignInstantRefund(s: OrderState, depositId: string): boolean {
  return isStray(s, depositId) || (mayRefundInstantly(s, depositId) && s.destination.counted.every((d) => d.spend?.isFinal === true))
}

/** These signed instant refunds are not mined yet. The ordinary refund takes expired deposits, except where the user kept the key. */
export function instantRefunds(s: OrderState): readonly SignedInstantRefund[] {
  const signed = s.grants.flatMap((grant) => (grant.kind === 'instant-refund' ? grant.refunds : []))
  return signed.filter(
    ({ deposit }) =>
      mayRefundInstantly(s, deposit) &&
      s.source.deposits.some(
        (d) => d.id === deposit && d.block !== null && d.spend?.block == null && (!isExpired(d) || s.order.source.clientKey),
      ),
  )
}

/** The deposits that need an instant refund and have none signed, because the order cannot complete or does not need them. The solver may sign for all of them. */
export function depositsToRefundInstantly(s: OrderState): readonly Deposit[] {
  const signed = new Set(s.grants.flatMap((grant) => (grant.kind === 'instant-refund' ? grant.refunds.map(({ deposit }) => deposit) : [])))
  return s.source.deposits.filter(
    (d) =>
      d.block !== null &&
      d.spend?.block == null &&
      !d.writtenOff &&
      !isExpired(d) &&
      !signed.has(d.id) &&
      maySignInstantRefund(s, d.id) &&
      (isStray(s, d.id) || ['awaiting_refund', 'refund_detected', 'refunded'].includes(s.status)),
  )
}

/** Returns true if the deposits came in time, but the solver has not signed yet that it pays for them. */
export function awaitsFill(s: OrderState): boolean {
  return !s.isAgreed && s.source.phase === 'initiated' && s.fundedInTime && s.declined === null && !hasSignedInstantRefund(s)
}

/** Returns true if everything is agreed and the solver has to pay. While no payment is seen, it may have declined. */
export function awaitsPayment(s: OrderState): boolean {
  return maySolverPay(s) && s.destination.deposits.length === 0 && !hasSignedInstantRefund(s)
}

/** Returns true if the counted deposits of this leg belong to its redeemer: the other leg is redeemed, or can be with the secret. */
export function isOwed(s: OrderState, leg: Leg): boolean {
  const other = otherLeg(leg)
  return s[other].phase === 'redeemed' || (isSecretOut(s) && redeemable(s, other).length > 0)
}

/**
 * True if no counted deposit is mined and none was refunded. An initiation is then wanted, or the unmined one must be mined, all the more if an unconfirmed
 * redeem spends it.
 */
function isOpen(swap: SwapState): boolean {
  return swap.counted.every((d) => d.block === null) && swap.deposits.every((d) => d.spend === null || isWaitingRedeem(d.spend))
}

function isWaitingRedeem(spend: Spend): boolean {
  return spend.kind === 'redeemed' && spend.block === null
}
