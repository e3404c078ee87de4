/** An order's state is derived from its two swaps, the user's grants and the clock. A status is derived here and assigned nowhere. */
import type { Chain, SmallDeposits } from './chain.ts'
import type { Counting } from './counting.ts'
import { isWithinTolerance, type RecordedFill, scaledAmount } from './fill.ts'
import type { HtlcEvent } from './htlc.ts'
import type { Grant, Leg, Order } from './order.ts'
import { type Hex32, isSecretFor } from './secret.ts'
import { type Deposit, deriveSwap, type Phase, type SwapState, type Tip } from './swap-state.ts'
import { minSeconds, revealRoomSeconds, timelockGapSeconds } from './timelock.ts'

export const orderStatuses = [
  'created',
  'initiate_detected',
  'initiated',
  'counterparty_initiate_detected',
  'counterparty_initiated',
  'redeem_detected',
  'redeemed',
  'counterparty_redeemed',
  'awaiting_refund',
  'refund_detected',
  'refunded',
  'expired',
] as const
export type OrderStatus = (typeof orderStatuses)[number]

export type OrderFacts = {
  readonly order: Order
  readonly chains: { readonly source: Chain; readonly destination: Chain }
  readonly tips: { readonly source: Tip; readonly destination: Tip }
  readonly events: { readonly source: readonly HtlcEvent[]; readonly destination: readonly HtlcEvent[] }
  /** This many recorded deposits of each leg are not among the events, because they are not considered. An absent value means none. */
  readonly unreadDeposits?: { readonly source: number; readonly destination: number }
  readonly grants: readonly Grant[]
  /** On chains with partial deposits, the solver pays for these source deposits. It is null before a fill is proposed. */
  readonly fill: RecordedFill | null
  /** This is the reason why the solver declined the deposits, or null. */
  readonly declined: string | null
  /** The client made the secret and keeps it. The service has it only once it is granted. */
  readonly clientSecret: boolean
  /** A node may have the secret: the service has recorded a redeem that contains it, and not every node has refused it. */
  readonly secretShown: boolean
  /** This party has seen the secret on a chain. It is kept even if that transaction vanishes again. */
  readonly seenSecret: Hex32 | null
  /** This is the last known amount at the deposit address, or in the payer's account at the HTLC, for this order. It is 0 where there is neither. */
  readonly prefund: bigint
  /** The HTLCs of these legs keep no rent. Only the executor reads that from the chain; an absent value means unknown. */
  readonly withoutRent?: readonly Leg[]
  /** The time is in Unix seconds by the party's own clock. */
  readonly now: bigint
}

export type OrderState = {
  readonly order: Order
  readonly source: SwapState
  readonly destination: SwapState
  readonly grants: readonly Grant[]
  readonly fill: RecordedFill | null
  readonly declined: string | null
  readonly prefund: bigint
  /** The HTLC of a leg with true keeps rent after it is settled, as far as is known. */
  readonly keepsRent: Readonly<Record<Leg, boolean>>
  /** Both parties agree on the counted deposits and their destination amount: the HTLC is funded once, or the solver has signed. */
  readonly isAgreed: boolean
  readonly clientSecret: boolean
  readonly secretShown: boolean
  readonly secret: Hex32 | null
  /** This is the later of the party's clock and the source chain's, in Unix seconds, because deadlines are compared with block times. */
  readonly now: bigint
  /** Every source deposit that counts was mined by the deadline, by the block's own time. */
  readonly fundedInTime: boolean
  /** Both chains have produced a block recently enough (`haltSeconds`) to trust their clocks. */
  readonly chainsAlive: boolean
  /** If the solver initiated now, the source would still outlive the destination by this many seconds. */
  readonly gapSeconds: bigint
  /** The service may still wait this many seconds before a redeem of the destination could come too late. */
  readonly revealSecondsLeft: bigint
  readonly status: OrderStatus
}

export function deriveOrder(facts: OrderFacts): OrderState {
  const { order, chains, tips, events, fill } = facts
  const source = deriveSwap(order.source.terms, events.source, {
    tip: tips.source,
    clock: chains.source.clock,
    heightsMaySkip: chains.source.heightsMaySkip,
    requiredConfirmations: order.source.requiredConfirmations,
    finalityBlocks: chains.source.finalityBlocks,
    counting: countingOf(chains.source, fill),
    smallDeposits: smallDepositsOf(chains.source),
    unreadDeposits: facts.unreadDeposits?.source ?? 0,
  })
  const destination = deriveSwap(order.destination.terms, events.destination, {
    tip: tips.destination,
    clock: chains.destination.clock,
    heightsMaySkip: chains.destination.heightsMaySkip,
    requiredConfirmations: order.destination.requiredConfirmations,
    finalityBlocks: chains.destination.finalityBlocks,
    // The solver can pay exactly, and does.
    counting: { kind: 'exact' },
    smallDeposits: smallDepositsOf(chains.destination),
    unreadDeposits: facts.unreadDeposits?.destination ?? 0,
  })
  const { claimSeconds, feeSpikeSeconds } = chains.destination.margins
  const fundedInTime = source.counted.length > 0 && source.counted.every((d) => d.block !== null && d.block.time <= order.deadline)
  const now = facts.now > tips.source.time ? facts.now : tips.source.time
  const partial = {
    order,
    source,
    destination,
    fundedInTime,
    now,
    grants: facts.grants,
    fill,
    declined: facts.declined,
    prefund: facts.prefund,
    gapSeconds: gapSeconds(facts, minUnitsLeft(source.counted)),
    toleranceBips: toleranceBipsOf(chains.source),
  }
  const { toleranceBips: _, ...shown } = partial
  return {
    ...shown,
    keepsRent: { source: keepsRent(facts, 'source'), destination: keepsRent(facts, 'destination') },
    isAgreed: chains.source.deposits.kind === 'exact' ? isAsAgreed(order) : isFilled(order, source, fill, toleranceBipsOf(chains.source)),
    clientSecret: facts.clientSecret,
    secretShown: facts.secretShown,
    secret: destination.secret ?? source.secret ?? ownSecret(order, facts.seenSecret),
    chainsAlive:
      facts.now - tips.source.time <= chains.source.haltSeconds && facts.now - tips.destination.time <= chains.destination.haltSeconds,
    revealSecondsLeft:
      minSeconds(chains.destination.clock, minUnitsLeft(destination.counted)) -
      claimSeconds -
      feeSpikeSeconds -
      ageSeconds(tips.destination, facts.now),
    status: deriveStatus(partial),
  }
}

function keepsRent({ chains, withoutRent = [] }: OrderFacts, leg: Leg): boolean {
  return chains[leg].settledHtlcKeepsRent === true && !withoutRent.includes(leg)
}

/**
 * The seconds by which the source outlives a destination that is initiated now. Where the expiry is absolute, the solver computes it from its newest block: if
 * that block is so old that too little time would be left to reveal the secret, the gap is not positive either.
 */
function gapSeconds({ order, chains, tips, now }: OrderFacts, sourceUnitsLeft: bigint): bigint {
  const { timelock } = order.destination.terms
  const gap = timelockGapSeconds(chains.source, sourceUnitsLeft, chains.destination, timelock) - ageSeconds(tips.source, now)
  if (chains.destination.clock.expiry === 'relative') return gap
  const reveal = revealRoomSeconds(chains.destination, timelock) - ageSeconds(tips.destination, now)
  return reveal < gap ? reveal : gap
}

export function toleranceBipsOf({ deposits }: Chain): number {
  return deposits.kind === 'partial' ? deposits.toleranceBips : 0
}

export function smallDepositsOf({ deposits }: Chain): SmallDeposits | null {
  return deposits.kind === 'partial' ? deposits.small : null
}

function countingOf({ deposits }: Chain, fill: RecordedFill | null): Counting {
  if (deposits.kind === 'exact') return { kind: 'exact' }
  if (fill !== null) return { kind: 'agreed', deposits: fill.deposits }
  return { kind: 'tolerant', toleranceBips: deposits.toleranceBips }
}

/** Anything that is not the secret of this order is ignored: its hash proves it. */
function ownSecret({ destination }: Order, seen: Hex32 | null): Hex32 | null {
  return seen !== null && isSecretFor(seen, destination.terms.secretHash) ? seen : null
}

function isAsAgreed({ destination }: Order): boolean {
  return destination.terms.amount === destination.agreedAmount
}

/** True if the solver signed for exactly these deposits, they add up to about the agreed amount, and the destination amount, recomputed here, follows from them. */
function isFilled(order: Order, source: SwapState, fill: RecordedFill | null, toleranceBips: number): boolean {
  if (fill === null || fill.signature === null || !source.isComplete) return false
  if (!isWithinTolerance(source.filledAmount, order.source.terms.amount, toleranceBips)) return false
  const { agreedAmount, terms } = order.destination
  return fill.destinationAmount === terms.amount && terms.amount === scaledAmount(agreedAmount, order.source.terms, source.filledAmount)
}

/** Timelocks are counted up to the newest block that was seen, so they have run this many seconds longer. */
export function ageSeconds(tip: Tip, now: bigint): bigint {
  return now > tip.time ? now - tip.time : 0n
}

/** The result is for the deposit that expires first. It is 0 if there is none, or one has no block yet. */
export function minUnitsLeft(deposits: readonly Deposit[]): bigint {
  return (
    deposits.reduce<bigint | null>((min, d) => {
      const left = d.unitsLeft ?? 0n
      return min === null || left < min ? left : min
    }, null) ?? 0n
  )
}

export function isExpired(deposit: Deposit): boolean {
  return deposit.unitsLeft !== null && deposit.unitsLeft <= 0n
}

/** Returns true if the solver signed for other deposits. This one is refunded to the user in any case. */
export function isStray({ fill }: Pick<OrderState, 'fill'>, depositId: string): boolean {
  return fill !== null && fill.signature !== null && !fill.deposits.includes(depositId)
}

export function hasSignedInstantRefund(s: Pick<OrderState, 'grants' | 'fill'>): boolean {
  return s.grants.some((grant) => grant.kind === 'instant-refund' && !grant.refunds.every(({ deposit }) => isStray(s, deposit)))
}

type StatusFacts = Pick<
  OrderState,
  'order' | 'source' | 'destination' | 'fundedInTime' | 'now' | 'grants' | 'fill' | 'declined' | 'gapSeconds' | 'prefund'
> & {
  readonly toleranceBips: number
}

type StatusRow = {
  readonly status: OrderStatus
  /** docs/lifecycle.md shows the condition in these words. */
  readonly when: string
  readonly holds: (s: StatusFacts) => boolean
}

const LOCKED: ReadonlySet<Phase> = new Set(['seen', 'initiated', 'redeeming'])

/** The first row that holds is the status. The table is part of the interface: see docs/lifecycle.md. */
export const statusTable: readonly StatusRow[] = [
  {
    status: 'counterparty_redeemed',
    when: 'the source redeem is mined, and nothing is locked on the destination: the solver is paid too',
    // The two chains are polled separately, so the source redeem may be seen first. A complete order must not lack the user's payout.
    holds: (s) => s.source.phase === 'redeemed' && !LOCKED.has(s.destination.phase),
  },
  { status: 'redeemed', when: 'the destination redeem is mined: the user is paid', holds: (s) => s.destination.phase === 'redeemed' },
  { status: 'redeem_detected', when: 'the destination redeem is seen', holds: (s) => s.destination.phase === 'redeeming' },
  { status: 'refunded', when: 'the source refund is mined', holds: (s) => s.source.phase === 'refunded' },
  { status: 'refund_detected', when: 'a source refund is seen', holds: (s) => s.source.phase === 'refunding' },
  {
    status: 'awaiting_refund',
    when: 'the source holds a deposit and the order can no longer complete: the deposit is late, not the agreed amount, expired, or declined by the solver; too little time is left for the solver to pay; the destination is refunded; or both parties signed an instant refund',
    holds: (s) => s.source.deposits.length > 0 && s.source.phase !== 'redeemed' && cannotComplete(s),
  },
  {
    status: 'counterparty_initiated',
    when: 'the source deposit is seen, and the destination is initiated at the required confirmations',
    // The two chains are polled separately, so the solver's deposit may be seen before the one that it answers. The status needs both.
    holds: (s) => s.source.deposits.length > 0 && s.destination.phase === 'initiated',
  },
  {
    status: 'counterparty_initiate_detected',
    when: 'the source deposit and the destination deposit are seen',
    holds: (s) => s.source.deposits.length > 0 && s.destination.phase === 'seen',
  },
  { status: 'initiated', when: 'the source is initiated at the required confirmations', holds: (s) => s.source.phase === 'initiated' },
  {
    status: 'initiate_detected',
    when: 'a source deposit is seen, or, until the deadline, money at the deposit address of the order',
    holds: (s) => s.source.deposits.length > 0 || isArriving(s),
  },
  { status: 'expired', when: 'nothing was deposited by the deadline', holds: (s) => s.now > s.order.deadline },
  { status: 'created', when: 'otherwise', holds: () => true },
]

/** Returns true if money lies at the deposit address of the order that an initiation can still use. */
export function isArriving(s: Pick<OrderState, 'order' | 'source' | 'prefund' | 'now'>): boolean {
  return s.order.source.depositAddress !== null && s.prefund > 0n && s.source.deposits.length === 0 && s.now <= s.order.deadline
}

export function deriveStatus(s: StatusFacts): OrderStatus {
  return statusTable.find((row) => row.holds(s))?.status ?? 'created'
}

function cannotComplete(s: StatusFacts): boolean {
  const { source, destination } = s
  if (destination.phase === 'refunded' || destination.phase === 'refunding') return true
  if ((hasSignedInstantRefund(s) || s.declined !== null) && destination.counted.length === 0) return true
  if ((source.counted.length > 0 ? source.counted : source.deposits).some(isExpired)) return true
  if (source.counted.length > 0) {
    if (!source.counted.every((d) => d.block !== null)) return false
    return !s.fundedInTime || (s.gapSeconds <= 0n && destination.deposits.length === 0)
  }
  // A sum that is too small can be topped up until the deadline. A sum that is too large cannot be reduced.
  const { amount } = s.order.source.terms
  const isTooMuch = source.filledAmount > amount && !isWithinTolerance(source.filledAmount, amount, s.toleranceBips)
  return isTooMuch || s.now > s.order.deadline
}

/** An unfunded order is watched for a late deposit for this time after its deadline, and a deposit address for any payment. */
export const LATE_DEPOSIT_WATCH_SECONDS = 7n * 24n * 3600n

/** A prefunded order is watched for a second payment into the payer's account for this time after its deadline, before which it cannot be returned. */
export const SECOND_PAYMENT_WATCH_SECONDS = 3600n

const wasPrefunded = ({ grants }: Pick<OrderState, 'grants'>) =>
  grants.some((grant) => grant.kind === 'initiate' && grant.consent.kind === 'prefunded')

/** Returns true if every deposit is finally spent or written off, so that nothing is left to watch. */
export function isClosed(s: OrderState): boolean {
  if (s.order.source.depositAddress !== null && s.now <= s.order.deadline + LATE_DEPOSIT_WATCH_SECONDS) return false
  if (wasPrefunded(s) && s.now <= s.order.deadline + SECOND_PAYMENT_WATCH_SECONDS) return false
  // Anyone can send dust, which must not close an order that can still be funded.
  if (s.source.deposits.every((d) => d.writtenOff) && s.now <= s.order.deadline + LATE_DEPOSIT_WATCH_SECONDS) return false
  return [...s.source.deposits, ...s.destination.deposits].every((d) => d.writtenOff || d.spend?.isFinal === true)
}
