/**
 * Computes how far the clocks may run before the state of an order could change without an event. The engine derives an order again only when one of its clocks
 * leaves its range, so every range errs on the narrow side.
 */
import { divideRoundingUp } from './amount.ts'
import type { Chain } from './chain.ts'
import type { BlockRef } from './htlc.ts'
import type { Leg } from './order.ts'
import { awaitsClientSecret, awaitsFill, playbook, RELAY_SECONDS } from './playbook.ts'
import {
  ageSeconds,
  deriveStatus,
  isClosed,
  LATE_DEPOSIT_WATCH_SECONDS,
  minUnitsLeft,
  type OrderFacts,
  type OrderState,
  orderStatuses,
  SECOND_PAYMENT_WATCH_SECONDS,
  smallDepositsOf,
  toleranceBipsOf,
} from './state.ts'
import type { Deposit, Tip } from './swap-state.ts'
import { clockAfter, countsHeight, minSeconds, revealRoomSeconds, timeIn, timelockGapSeconds } from './timelock.ts'

/** The range is `since` <= value < `until`. Null means no bound. */
export type ClockRange = { readonly since: bigint | null; readonly until: bigint | null }

/** Height and time of a tip also go back, for example in a reorg. */
export type ChainRanges = {
  readonly height: ClockRange
  readonly time: ClockRange
  /** This is the height of the chain's finality tag: see `taggedHeightOf`. */
  readonly finalHeight: ClockRange
  /** The age is in seconds from the time of the tip to the party's own clock. It grows only while the chain makes no block. */
  readonly age: ClockRange
}

/** While all clocks stay in these ranges and nothing is recorded, no rule of the playbook flips and the status stays. */
export type NextChange = {
  readonly now: ClockRange
} & Readonly<Record<Leg, ChainRanges>>

type MutableRange = { since: bigint | null; until: bigint | null }
type MutableChain = {
  readonly height: MutableRange
  readonly time: MutableRange
  readonly finalHeight: MutableRange
  readonly age: MutableRange
}
type Ranges = { readonly now: MutableRange } & Readonly<Record<Leg, MutableChain>>

/** This height is above every real one. Chains without a finality tag are final by depth alone. */
export const NO_TAG = 2n ** 62n

export function taggedHeightOf(tip: Tip): bigint {
  return tip.finalHeight ?? NO_TAG
}

/** `state` must be derived from `facts`. */
export function nextChange(facts: OrderFacts, state: OrderState): NextChange {
  const ranges: Ranges = { now: anything(), source: anyChain(), destination: anyChain() }
  boundDeposits(ranges, facts, state, 'source')
  boundDeposits(ranges, facts, state, 'destination')
  boundDeadlines(ranges, facts, state)
  const matters = whatMatters(state, toleranceBipsOf(facts.chains.source))
  if (matters.alive) boundAlive(ranges, facts)
  if (matters.gap) boundGap(ranges, facts, state)
  if (matters.reveal) boundReveal(ranges, facts, state)
  return ranges
}

/** Returns, for each leg, the height of its chain at which a deposit or a spend will have the confirmations that it lacks now. */
export function nextConfirmations({ order, chains, tips }: OrderFacts, state: OrderState): Readonly<Record<Leg, bigint | null>> {
  const nextOf = (leg: Leg) => {
    const range = anyChain()
    const required = BigInt(order[leg].requiredConfirmations)
    for (const { block, confirmations, spend } of state[leg].deposits) {
      if (block !== null) boundConfirmations(range, chains[leg], tips[leg], { block, confirmations }, required)
      if (spend?.block != null)
        boundConfirmations(range, chains[leg], tips[leg], { block: spend.block, confirmations: spend.confirmations }, required)
    }
    return range.height.until
  }
  return { source: nextOf('source'), destination: nextOf('destination') }
}

const anything = (): MutableRange => ({ since: null, until: null })
const anyChain = (): MutableChain => ({ height: anything(), time: anything(), finalHeight: anything(), age: anything() })

function notBelow(range: MutableRange, start: bigint): void {
  if (range.since === null || start > range.since) range.since = start
}

function below(range: MutableRange, end: bigint): void {
  if (range.until === null || end < range.until) range.until = end
}

/** The truth of `value >= threshold` must not change within the range. */
function keepSide(range: MutableRange, value: bigint, threshold: bigint): void {
  if (value >= threshold) notBelow(range, threshold)
  else below(range, threshold)
}

function boundDeposits(ranges: Ranges, { order, chains, tips }: OrderFacts, state: OrderState, leg: Leg): void {
  const [chain, tip, range] = [chains[leg], tips[leg], ranges[leg]]
  const required = BigInt(order[leg].requiredConfirmations)
  const small = smallDepositsOf(chain)
  for (const { block, confirmations, unitsLeft, spend, amount } of state[leg].deposits) {
    if (block !== null) boundConfirmations(range, chain, tip, { block, confirmations }, required)
    if (unitsLeft !== null) {
      const expiresAt = unitsLeft + clockAfter(tip, chain.clock)
      boundTimelock(range, chain, tip, expiresAt)
      const mayBeWrittenOff = small !== null && spend === null && amount >= small.hopelessBelow && amount < small.smallBelow
      if (mayBeWrittenOff) boundTimelock(range, chain, tip, expiresAt + small.writeOffAfterUnits + 1n)
    }
    if (spend === null || spend.block === null) continue
    for (const needed of [required, BigInt(chain.finalityBlocks)])
      boundConfirmations(range, chain, tip, { block: spend.block, confirmations: spend.confirmations }, needed)
    keepSide(range.finalHeight, taggedHeightOf(tip), spend.block.height)
  }
}

type Mined = { readonly block: BlockRef; readonly confirmations: bigint }

function boundConfirmations({ height }: MutableChain, chain: Chain, tip: Tip, { block, confirmations }: Mined, needed: bigint): void {
  if (!chain.heightsMaySkip) keepSide(height, tip.height, block.height + needed - 1n)
  // Each confirmation is one block, and a block is at least one height.
  else if (confirmations >= needed) notBelow(height, tip.height - (confirmations - needed))
  else below(height, tip.ordinal === undefined ? tip.height + 1n : tip.height + needed - confirmations)
}

function boundTimelock({ height, time }: MutableChain, { clock }: Chain, tip: Tip, end: bigint): void {
  if (countsHeight(clock)) keepSide(height, tip.height, end - 1n)
  else keepSide(time, tip.time, divideRoundingUp(end, timeIn(1n, clock)))
}

/** `state.now` is the later of the party's clock and the source chain's. */
function boundDeadlines({ now, source }: Ranges, facts: OrderFacts, state: OrderState): void {
  const { deadline } = state.order
  const watched = [SECOND_PAYMENT_WATCH_SECONDS, LATE_DEPOSIT_WATCH_SECONDS].map((seconds) => deadline + seconds + 1n)
  for (const threshold of [deadline - RELAY_SECONDS, deadline + 1n, ...watched]) {
    if (state.now < threshold) {
      below(now, threshold)
      below(source.time, threshold)
    } else if (facts.now < threshold) notBelow(source.time, threshold)
  }
}

const GAP = 1
const REVEAL = 2
const ALIVE = 4

/**
 * Finds the conditions on both the party's clock and the chains that decide anything in this state. Those are kept as they are, so the next ones are tried only
 * together with them. The others are tried in all combinations, because two that change nothing alone may do so together.
 */
function whatMatters(
  state: OrderState,
  toleranceBips: number,
): { readonly gap: boolean; readonly reveal: boolean; readonly alive: boolean } {
  const actual = (state.gapSeconds > 0n ? GAP : 0) | (state.revealSecondsLeft > 0n ? REVEAL : 0) | (state.chainsAlive ? ALIVE : 0)
  const outcomes = Array.from({ length: 8 }, (_, bits) =>
    outcomeOf(
      {
        ...state,
        gapSeconds: (bits & GAP) === 0 ? 0n : 1n,
        revealSecondsLeft: (bits & REVEAL) === 0 ? 0n : 1n,
        chainsAlive: (bits & ALIVE) !== 0,
      },
      toleranceBips,
    ),
  )
  let kept = 0
  for (const bit of [GAP, REVEAL, ALIVE]) {
    const isPossible = (bits: number) => ((bits ^ actual) & kept) === 0
    if (outcomes.some((outcome, bits) => isPossible(bits) && outcome !== outcomes[bits ^ bit])) kept |= bit
  }
  return { gap: (kept & GAP) !== 0, reveal: (kept & REVEAL) !== 0, alive: (kept & ALIVE) !== 0 }
}

/** The number encodes everything that a party decides by the state. */
function outcomeOf(state: OrderState, toleranceBips: number): number {
  const decisions = [
    ...playbook.map((rule) => rule.holds(state)),
    awaitsClientSecret(state),
    awaitsFill(state) && state.gapSeconds > 0n,
    state.chainsAlive && isClosed(state),
  ]
  const status = orderStatuses.indexOf(deriveStatus({ ...state, toleranceBips }))
  return decisions.reduce((bits, holds) => bits * 2 + Number(holds), status)
}

function boundAlive(ranges: Ranges, { chains, tips, now }: OrderFacts): void {
  const legs = ['source', 'destination'] as const
  const isHalted = (leg: Leg) => now - tips[leg].time > chains[leg].haltSeconds
  const halted = legs.find(isHalted)
  if (halted !== undefined) notBelow(ranges[halted].age, chains[halted].haltSeconds + 1n)
  else for (const leg of legs) below(ranges[leg].age, chains[leg].haltSeconds + 1n)
}

function boundGap(ranges: Ranges, facts: OrderFacts, { source, gapSeconds }: OrderState): void {
  const { order, chains, tips } = facts
  const { timelock } = order.destination.terms
  const margin = -timelockGapSeconds(chains.source, 0n, chains.destination, timelock)
  const gap = { leg: 'source', deposits: source.counted, margin } as const
  if (chains.destination.clock.expiry === 'relative') boundSeconds(ranges, facts, gap)
  else if (gapSeconds > 0n) {
    boundSeconds(ranges, facts, gap)
    boundRevealTime(ranges, facts)
  } else if (minSeconds(chains.source.clock, minUnitsLeft(source.counted)) - margin - ageSeconds(tips.source, facts.now) <= 0n)
    boundSeconds(ranges, facts, gap)
  else boundRevealTime(ranges, facts)
}

function boundReveal(ranges: Ranges, facts: OrderFacts, { destination }: OrderState): void {
  const { claimSeconds, feeSpikeSeconds } = facts.chains.destination.margins
  boundSeconds(ranges, facts, { leg: 'destination', deposits: destination.counted, margin: claimSeconds + feeSpikeSeconds })
}

type SecondsLeft = { readonly leg: Leg; readonly deposits: readonly Deposit[]; readonly margin: bigint }

/**
 * The ranges keep the sign of this value: the seconds until the first deposit expires, minus a margin and the age of the tip. A new block
 * makes the age smaller, so the value may rise. A chain that counts time runs no slower than the wall clock (`fastestMs`).
 */
function boundSeconds(ranges: Ranges, facts: OrderFacts, { leg, deposits, margin }: SecondsLeft): void {
  const { now } = facts
  const [tip, { clock }, range] = [facts.tips[leg], facts.chains[leg], ranges[leg]]
  const units = minUnitsLeft(deposits)
  const ageless = minSeconds(clock, units) - margin
  const left = ageless - ageSeconds(tip, now)
  if (left > 0n) {
    notBelow(range.time, tip.time)
    if (countsHeight(clock)) {
      // The party's clock gets half of the remaining time and blocks the other half, so both together use up at most all of it.
      const spare = left - 1n
      below(ranges.now, now + spare / 2n + 1n)
      below(range.height, tip.height + ((spare - spare / 2n) * 1000n) / clock.fastestMs + 1n)
    } else {
      below(ranges.now, now + left)
      const enoughUnits = divideRoundingUp((margin + 1n) * 1000n, clock.fastestMs)
      below(range.time, tip.time + (units - enoughUnits) / timeIn(1n, clock) + 1n)
    }
  } else if (countsHeight(clock)) {
    notBelow(range.height, tip.height)
    if (ageless > 0n) below(range.time, now - ageless + 1n)
  } else if (minSeconds(clock, minUnitsAt(deposits, timeIn(now - tip.time, clock))) > margin) {
    notBelow(range.time, tip.time)
    below(range.time, tip.time + 1n)
  }
}

/** This is `minUnitsLeft` when the chain's clock has advanced by `advance`. */
function minUnitsAt(deposits: readonly Deposit[], advance: bigint): bigint {
  return minUnitsLeft(deposits.map((d) => (d.unitsLeft === null ? d : { ...d, unitsLeft: d.unitsLeft - advance })))
}

/** On chains where the initiation names its end, the ranges keep the sign of the remaining time to reveal the secret. */
function boundRevealTime(ranges: Ranges, { order, chains, tips, now }: OrderFacts): void {
  const ageless = revealRoomSeconds(chains.destination, order.destination.terms.timelock)
  const { time } = tips.destination
  if (ageless - ageSeconds(tips.destination, now) > 0n) {
    below(ranges.now, time + ageless)
    notBelow(ranges.destination.time, time)
  } else if (ageless > 0n) below(ranges.destination.time, now - ageless + 1n)
}
