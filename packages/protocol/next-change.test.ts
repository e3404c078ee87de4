/** Tests that nothing changes before the next change that the protocol names. */
import { environments } from '@tandem/families/registry.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Chain } from './chain.ts'
import { factsOf, normalTimes } from './example-order.fixture.ts'
import type { RecordedFill } from './fill.ts'
import { prefundedGrant, signedGrant } from './grants.fixture.ts'
import type { BlockRef, HtlcEvent } from './htlc.ts'
import { type ClockRange, type NextChange, nextChange, taggedHeightOf } from './next-change.ts'
import type { Grant, Leg } from './order.ts'
import { awaitsClientSecret, awaitsFill, instantRefunds, playbook, RELAY_SECONDS, redeemable, refundable } from './playbook.ts'
import { deriveOrder, isClosed, isExpired, type OrderFacts, SECOND_PAYMENT_WATCH_SECONDS } from './state.ts'
import { phases, type Tip } from './swap-state.ts'
import { countsHeight } from './timelock.ts'

const legs = ['source', 'destination'] as const
const NOW = 1_000_000n
const HEIGHT = 5_000n

/** A party decides all of this by the state. */
function decisions(facts: OrderFacts) {
  const s = deriveOrder(facts)
  const deposits = legs.flatMap((leg) => s[leg].deposits)
  return {
    rules: playbook.filter((rule) => rule.holds(s)).map((rule) => `${rule.who} ${rule.verb} ${rule.leg}`),
    status: s.status,
    phases: legs.map((leg) => s[leg].phase),
    closed: s.chainsAlive && isClosed(s),
    spends: legs.map((leg) => [redeemable(s, leg), refundable(s, leg)].map((some) => some.map(({ id }) => id))),
    instantRefunds: instantRefunds(s).map(({ deposit }) => deposit),
    awaits: [awaitsClientSecret(s), awaitsFill(s), awaitsFill(s) && s.gapSeconds > 0n],
    deposits: deposits.map((d) => [d.id, isExpired(d), d.writtenOff, d.spend?.isFinal]),
  }
}

const between = (min: number, max: number) => fc.integer({ min, max }).map(BigInt)
const chance = fc.boolean()

/** The numbers are small, so that random times are often near a threshold. */
const chainOf = (id: string): fc.Arbitrary<Chain> =>
  fc
    .record({
      clock: fc.constantFrom<Chain['clock']>(
        { unit: 'blocks', expiry: 'relative', fastestMs: 1_500n, slowestMs: 4_000n, slackSeconds: 0n },
        { unit: 'slots', expiry: 'relative', fastestMs: 360n, slowestMs: 600n, slackSeconds: 0n },
        { unit: 'seconds', expiry: 'relative', fastestMs: 1_000n, slowestMs: 1_000n, slackSeconds: 2n },
        { unit: 'seconds', expiry: 'relative', fastestMs: 700n, slowestMs: 1_000n, slackSeconds: 2n },
        { unit: 'milliseconds', expiry: 'relative', fastestMs: 1n, slowestMs: 1n, slackSeconds: 1n },
        { unit: 'seconds', expiry: 'absolute', fastestMs: 1_000n, slowestMs: 1_000n, slackSeconds: 1n },
      ),
      partial: chance,
      heightsMaySkip: chance,
      haltSeconds: fc.oneof(between(5, 60), fc.constant(1_000n)),
      finalityBlocks: fc.integer({ min: 2, max: 8 }),
      margin: between(0, 2),
    })
    .map(({ clock, partial, heightsMaySkip, haltSeconds, finalityBlocks, margin }) => ({
      ...factsOf(normalTimes('waiting', 'waiting')).chains.source,
      id,
      clock,
      heightsMaySkip,
      haltSeconds,
      finalityBlocks,
      margins: { claimSeconds: margin, reorgSeconds: margin, feeSpikeSeconds: margin },
      deposits: partial
        ? { kind: 'partial', toleranceBips: 300, small: { hopelessBelow: 2n, smallBelow: 12n, writeOffAfterUnits: 20n } }
        : { kind: 'exact' },
    }))

const tips = fc
  .record({
    ago: between(-5, 40),
    ordinal: fc.option(between(3_000, 3_003), { nil: undefined }),
    final: fc.option(between(0, 30), { nil: null }),
  })
  .map(
    ({ ago, ordinal, final }): Tip => ({
      height: HEIGHT,
      time: NOW - ago,
      ...(ordinal !== undefined && { ordinal }),
      finalHeight: final === null ? null : HEIGHT - final,
    }),
  )

/** The numbers say how long ago the event was mined. Null means unconfirmed. */
const mined = fc.option(fc.record({ blocks: between(0, 20), ordinals: between(0, 12), seconds: between(0, 120) }), { nil: null, freq: 6 })
type Mined = { readonly blocks: bigint; readonly ordinals: bigint; readonly seconds: bigint } | null

const deposit = fc.record({
  amount: fc.constantFrom(1n, 11n, 50n, 90n, 100n, 100n, 100n, 102n),
  mined,
  expiresIn: between(-40, 80),
  spend: fc.option(fc.record({ kind: fc.constantFrom('redeemed' as const, 'refunded' as const), mined }), { nil: null }),
})
/** Honest parties make such orders, which depend on the time that is left. */
const plainDeposit = deposit.map((random) => ({
  ...random,
  amount: 100n,
  spend: null,
  mined: random.mined ?? { blocks: 4n, ordinals: 4n, seconds: 100n },
}))
const deposits = fc.oneof(fc.array(deposit, { maxLength: 3 }), fc.array(plainDeposit, { minLength: 1, maxLength: 1 }))

type RandomDeposit = {
  readonly amount: bigint
  readonly mined: Mined
  readonly expiresIn: bigint
  readonly spend: { readonly kind: 'redeemed' | 'refunded'; readonly mined: Mined } | null
}

function blockOf(when: Mined, tip: Tip): BlockRef | null {
  if (when === null) return null
  const skipped = when.blocks < when.ordinals ? when.blocks : when.ordinals
  return {
    height: tip.height - when.blocks,
    hash: 'hash',
    time: tip.time - when.seconds,
    ...(tip.ordinal !== undefined && { ordinal: tip.ordinal - skipped }),
  }
}

function eventsOf(leg: Leg, chain: Chain, tip: Tip, deposits: readonly RandomDeposit[]): readonly HtlcEvent[] {
  return deposits.flatMap(({ amount, mined: when, expiresIn, spend }, n): HtlcEvent[] => {
    const sighting = { swapId: leg, index: '0', deposit: `${n}` }
    const clock = countsHeight(chain.clock) ? tip.height : chain.clock.unit === 'milliseconds' ? tip.time * 1000n : tip.time
    const expiresAt = clock + (chain.clock.unit === 'milliseconds' ? expiresIn * 1000n + 137n : expiresIn)
    const initiated = { ...sighting, kind: 'initiated', tx: `deposit ${n}`, block: blockOf(when, tip), amount, expiresAt } as const
    if (spend === null) return [initiated]
    const spent = { ...sighting, tx: `spend ${n}`, block: when === null ? null : blockOf(spend.mined, tip) }
    return [
      initiated,
      spend.kind === 'redeemed' ? { ...spent, kind: 'redeemed', secret: 'ab' } : { ...spent, kind: 'refunded', secret: null },
    ]
  })
}

const grants = fc
  .record({
    initiate: fc.constantFrom('signed', 'prefunded', null),
    redeem: chance,
    instantRefund: fc.option(fc.constantFrom('0', '1'), { nil: null, freq: 3 }),
  })
  .map(({ initiate, redeem, instantRefund }): readonly Grant[] => [
    ...(initiate === null ? [] : [initiate === 'signed' ? signedGrant('00') : prefundedGrant(NOW)]),
    ...(redeem ? [{ kind: 'redeem', leg: 'destination' } as const] : []),
    ...(instantRefund === null
      ? []
      : [
          {
            kind: 'instant-refund',
            leg: 'source',
            refunds: [{ deposit: instantRefund, amount: 1n, to: 'user', pays: 1n, signature: '' }],
            transaction: null,
          } as const,
        ]),
  ])
const fill = fc
  .record({ deposits: fc.constantFrom(['0'], ['1'], ['0', '1']), signed: chance, amount: fc.constantFrom(90n, 100n, 102n) })
  .map(
    ({ deposits, signed, amount }): RecordedFill => ({
      deposits,
      blockHash: 'hash',
      destinationAmount: amount,
      signature: signed ? '00' : null,
    }),
  )

const randomFacts: fc.Arbitrary<OrderFacts> = fc
  .record({
    chains: fc.record({ source: chainOf('a'), destination: chainOf('b') }),
    tips: fc.record({ source: tips, destination: tips }),
    source: deposits,
    destination: fc.oneof(fc.constant([]), deposits),
    deadline: fc.oneof(between(-90, 90), fc.constant(90n)),
    timelock: between(1, 8),
    required: fc.integer({ min: 1, max: 4 }),
    grants,
    fill: fc.option(fill, { nil: null }),
    declined: fc.option(fc.constant('no'), { nil: null, freq: 4 }),
    clientSecret: fc.constantFrom(false, false, true),
    clientKey: fc.constantFrom(false, false, true),
    secretShown: fc.constantFrom(false, false, true),
    seenSecret: fc.constantFrom(null, null, 'ab'),
    prefund: fc.constantFrom(0n, 100n),
    depositAddress: fc.constantFrom(null, 'address'),
  })
  .map(({ deadline, timelock, required, clientKey, depositAddress, source, destination, ...rest }) => {
    const { order } = factsOf(normalTimes('waiting', 'waiting'))
    const swap = (leg: Leg) => ({
      ...order[leg],
      clientKey,
      requiredConfirmations: required,
      terms: { ...order[leg].terms, timelock, ...(leg === 'destination' && rest.fill !== null && { amount: rest.fill.destinationAmount }) },
    })
    return {
      ...rest,
      order: { ...order, deadline: NOW + deadline, source: { ...swap('source'), depositAddress }, destination: swap('destination') },
      events: {
        source: eventsOf('source', rest.chains.source, rest.tips.source, source),
        destination: eventsOf('destination', rest.chains.destination, rest.tips.destination, destination),
      },
      now: NOW,
    }
  })

/** A clock goes to an end of its range, back to where it is, or anywhere near. */
const place = fc.oneof(fc.constantFrom('first', 'last', 'here'), between(-30, 30))
type Place = 'first' | 'last' | 'here' | bigint

function pick({ since, until }: ClockRange, value: bigint, where: Place, least = since): bigint {
  if (where === 'here') return value
  if (where === 'first') return least ?? value - 1_000n
  if (where === 'last') return until === null ? value + 1_000n : until - 1n
  const target = value + where
  if (least !== null && target < least) return least
  return until !== null && target >= until ? until - 1n : target
}

type Move = { readonly height: Place; readonly time: Place; readonly final: Place; readonly ordinal: number }
type Journey = { readonly now: Place } & Readonly<Record<Leg, Move>>

const anyMove = fc.record({ height: place, time: place, final: place, ordinal: fc.nat({ max: 100 }) })
const anyJourney = fc.record({ now: place, source: anyMove, destination: anyMove })
const farthest = fc
  .record({
    now: fc.constantFrom('here', 'last'),
    height: fc.constantFrom('first', 'last', 'here'),
    time: fc.constantFrom('first', 'last'),
  })
  .map(({ now, height, time }): Journey => {
    const move = { height, time, final: 'last', ordinal: 100 } as const
    return { now, source: move, destination: move }
  })
const journey: fc.Arbitrary<Journey> = fc.oneof(anyJourney, farthest)

const isInside = ({ since, until }: ClockRange, value: bigint) => (since === null || since <= value) && (until === null || value < until)

/** The time is as late as asked for, but neither tip may become too old. */
function nowAt(ranges: NextChange, facts: OrderFacts, tips: OrderFacts['tips'], where: Place): bigint {
  const latest = legs.flatMap((leg) => (ranges[leg].age.until === null ? [] : [tips[leg].time + ranges[leg].age.until - 1n]))
  return [pick(ranges.now, facts.now, where, facts.now), ...latest].reduce((least, at) => (at < least ? at : least))
}

describe('within the ranges of nextChange', () => {
  it('no decision of a party changes, whatever time passes and however the chains move', () => {
    fc.assert(
      fc.property(randomFacts, journey, (facts, to) => {
        const ranges = nextChange(facts, deriveOrder(facts))
        const tipAt = (leg: Leg): Tip => {
          const tip = facts.tips[leg]
          const height = pick(ranges[leg].height, tip.height, to[leg].height)
          const moved = height - tip.height
          const ordinal = tip.ordinal === undefined ? undefined : tip.ordinal + (moved * BigInt(to[leg].ordinal)) / 100n
          // A chain with a finality tag keeps it.
          const tagged = tip.finalHeight == null ? null : pick(ranges[leg].finalHeight, taggedHeightOf(tip), to[leg].final)
          return {
            height,
            time: pick(ranges[leg].time, tip.time, to[leg].time),
            ...(ordinal !== undefined && { ordinal }),
            finalHeight: tagged,
          }
        }
        const tips = { source: tipAt('source'), destination: tipAt('destination') }
        const later = { ...facts, tips, now: nowAt(ranges, facts, tips, to.now) }
        fc.pre(later.now >= facts.now && legs.every((leg) => isInside(ranges[leg].age, later.now - tips[leg].time)))
        expect(JSON.stringify(decisions(later))).toBe(JSON.stringify(decisions(facts)))
      }),
      { numRuns: 4_000 },
    )
  })

  it('every clock is inside its range: the next change is in the future', () => {
    fc.assert(
      fc.property(randomFacts, (facts) => {
        const ranges = nextChange(facts, deriveOrder(facts))
        expect(isInside(ranges.now, facts.now)).toBe(true)
        for (const leg of legs) {
          const tip = facts.tips[leg]
          const values = { height: tip.height, time: tip.time, finalHeight: taggedHeightOf(tip), age: facts.now - tip.time }
          for (const clock of ['height', 'time', 'finalHeight', 'age'] as const)
            expect(isInside(ranges[leg][clock], values[clock])).toBe(true)
        }
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('how often an order is derived until nothing can change any more', () => {
  const chains = Object.values(environments).flatMap((environment) => environment.chains)

  /** Both chains make blocks at this pace for 8 days or until the order is closed; derives again only when a clock leaves its range. */
  function countDerivations(start: OrderFacts, blockSeconds: number): number {
    let facts = start
    let ranges = nextChange(facts, deriveOrder(facts))
    let derivations = 1
    const paces = legs.map((leg) => ({ leg, next: Number(start.now) + blockSeconds }))
    const end = Number(start.now) + 8 * 86_400
    for (;;) {
      const due = paces.reduce((first, pace) => (pace.next < first.next ? pace : first))
      const wall = ranges.now.until === null ? end : Number(ranges.now.until)
      const at = Math.min(due.next, wall, end)
      if (at >= end) return derivations
      const { tips } = facts
      facts = { ...facts, now: BigInt(Math.floor(at)) }
      if (due.next <= at) {
        const tip = tips[due.leg]
        const height = tip.height + 1n
        facts = { ...facts, tips: { ...tips, [due.leg]: { ...tip, height, time: BigInt(Math.floor(at)), finalHeight: height - 10n } } }
        due.next += blockSeconds
      }
      const isDue =
        !isInside(ranges.now, facts.now) ||
        legs.some((leg) => {
          const [range, tip] = [ranges[leg], facts.tips[leg]]
          return !(
            isInside(range.height, tip.height) &&
            isInside(range.time, tip.time) &&
            isInside(range.finalHeight, taggedHeightOf(tip)) &&
            isInside(range.age, facts.now - tip.time)
          )
        })
      if (!isDue) continue
      derivations += 1
      const state = deriveOrder(facts)
      if (state.chainsAlive && isClosed(state)) return derivations
      ranges = nextChange(facts, state)
    }
  }

  it.each([
    { id: 'bitcoin_testnet', blockSeconds: 600 },
    { id: 'ethereum_sepolia', blockSeconds: 180 },
  ])('few times between chains like $id, in every pair of phases', ({ id, blockSeconds }) => {
    const chain = chains.find((known) => known.id === id)
    if (chain === undefined) throw new Error(`${id} is not in the registry`)
    for (const source of phases) {
      for (const destination of phases) {
        const facts = factsOf(normalTimes(source, destination))
        const derivations = countDerivations({ ...facts, chains: { source: chain, destination: chain } }, blockSeconds)
        expect(derivations).toBeLessThan(40)
      }
    }
  })
})

describe('the next change', () => {
  const start = factsOf(normalTimes('waiting', 'waiting'))
  const ranges = (facts: OrderFacts) => nextChange(facts, deriveOrder(facts))

  it('of an unfunded order is the last moment to relay, on either clock, and no block', () => {
    const { now, source, destination } = ranges(start)
    const last = start.order.deadline - RELAY_SECONDS
    expect([now.until, source.time.until]).toEqual([last, last])
    expect([source.height, destination.height, destination.time]).toEqual(Array.from({ length: 3 }, () => ({ since: null, until: null })))
  })

  it('of a deposit below the required confirmations is the block that confirms it', () => {
    const facts = factsOf(normalTimes('seen', 'waiting'))
    const [event] = facts.events.source
    const required = BigInt(facts.order.source.requiredConfirmations)
    expect(ranges(facts).source.height.until).toBe((event?.block?.height ?? 0n) + required - 1n)
  })

  it('of a redeemed order depends neither on halts nor on the time left', () => {
    const facts = factsOf(normalTimes('redeemed', 'redeemed'))
    const { now, destination } = ranges(facts)
    expect(now.until).toBe(facts.order.deadline - RELAY_SECONDS)
    expect(destination.time.since).toBeNull()
  })

  it('of a prefunded order that is done comes when a second payment is no longer waited for', () => {
    const facts = factsOf(normalTimes('redeemed', 'redeemed'))
    const late = { ...facts, now: facts.order.deadline + 1n, grants: [prefundedGrant(facts.order.deadline)] }
    expect(ranges(late).now.until).toBe(facts.order.deadline + SECOND_PAYMENT_WATCH_SECONDS + 1n)
  })

  it('of an order that may be revealed comes when a chain falls silent', () => {
    const facts = factsOf(normalTimes('initiated', 'initiated'))
    const { source, destination } = ranges(facts)
    expect([source.age.until, destination.age.until]).toEqual([
      facts.chains.source.haltSeconds + 1n,
      facts.chains.destination.haltSeconds + 1n,
    ])
  })

  describe('of an order with little time left', () => {
    const funded = factsOf(normalTimes('initiated', 'waiting'))
    const source: Chain = {
      ...funded.chains.source,
      clock: { unit: 'blocks', expiry: 'relative', fastestMs: 1_000n, slowestMs: 1_000n, slackSeconds: 0n },
    }
    const expiringIn = (blocks: bigint): OrderFacts => ({
      ...funded,
      chains: { ...funded.chains, source },
      events: {
        ...funded.events,
        source: funded.events.source.map((event) =>
          event.kind === 'initiated' ? { ...event, expiresAt: funded.tips.source.height + blocks } : event,
        ),
      },
    })
    const gapOf = (facts: OrderFacts) => deriveOrder(facts).gapSeconds
    /** The gap is one second for the first number of blocks. */
    const first = Array.from({ length: 100_000 }, (_, n) => BigInt(n)).find((blocks) => gapOf(expiringIn(blocks)) > 0n) ?? -1n

    it.each([0n, 1n, 2n, 7n, 20n])(
      '%i seconds to spare: comes before clock and blocks together have used them up, and not earlier',
      (spare) => {
        const facts = expiringIn(first + spare)
        expect(gapOf(facts)).toBe(spare + 1n)
        const { now, source: range } = ranges(facts)
        const [lastNow, lastHeight] = [(now.until ?? 0n) - 1n, (range.height.until ?? 0n) - 1n]
        const at = (later: bigint, height: bigint): OrderFacts => ({
          ...facts,
          now: later,
          tips: { ...facts.tips, source: { ...facts.tips.source, height } },
        })
        expect(gapOf(at(lastNow, lastHeight))).toBe(1n)
        expect(decisions(at(lastNow, lastHeight)).rules).toEqual(decisions(facts).rules)
      },
    )

    it('and none to spare: comes when a reorg lowers the height by one, which gives a second more', () => {
      const facts = expiringIn(first - 1n)
      const lower = { ...facts.tips.source, height: facts.tips.source.height - 1n }
      expect([gapOf(facts), gapOf({ ...facts, tips: { ...facts.tips, source: lower } })]).toEqual([0n, 1n])
      expect(ranges(facts).source.height.since).toBe(facts.tips.source.height)
    })

    describe('on a chain that counts time', () => {
      /** The source expires this many seconds after its tip, which has this age. */
      const timed = (fastestMs: bigint, age: bigint, seconds: bigint): OrderFacts => {
        const tip = { ...funded.tips.source, time: funded.now - age }
        return {
          ...funded,
          chains: { ...funded.chains, source: { ...source, clock: { ...source.clock, unit: 'seconds', fastestMs } } },
          tips: { ...funded.tips, source: tip },
          events: {
            ...funded.events,
            source: funded.events.source.map((event) => (event.kind === 'initiated' ? { ...event, expiresAt: tip.time + seconds } : event)),
          },
        }
      }
      const withTip = (facts: OrderFacts, time: bigint): OrderFacts => ({
        ...facts,
        tips: { ...facts.tips, source: { ...facts.tips.source, time } },
      })
      const numbers = Array.from({ length: 100_000 }, (_, n) => BigInt(n))

      it('that may be faster than the clock: comes with the block that shows how old its tip is', () => {
        const [age, fastestMs] = [30n, 700n]
        const seconds = numbers.find((left) => gapOf(withTip(timed(fastestMs, age, left), funded.now)) > 0n) ?? -1n
        const facts = timed(fastestMs, age, seconds)
        expect([gapOf(facts) <= 0n, gapOf(withTip(facts, funded.now))]).toEqual([true, 1n])
        const { time } = facts.tips.source
        expect(ranges(facts).source.time).toEqual({ since: time, until: time + 1n })
      })

      it('and whose tip is ahead of the clock: comes when a reorg lowers its time', () => {
        const [age, fastestMs] = [-3n, 1_000n]
        const seconds = (numbers.find((left) => gapOf(timed(fastestMs, age, left)) > 0n) ?? -1n) - 1n
        const facts = timed(fastestMs, age, seconds)
        const { time } = facts.tips.source
        expect([gapOf(facts), gapOf(withTip(facts, time - 1n))]).toEqual([0n, 1n])
        expect(ranges(facts).source.time.since).toBe(time)
      })
    })
  })
})
