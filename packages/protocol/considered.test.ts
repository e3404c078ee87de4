/** Very many deposits: which are considered, and that dust changes nothing for an honest order. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { considerDeposits, type Initiation, MAX_MINED, MAX_UNCONFIRMED } from './considered.ts'
import { type Counting, MAX_COUNTED } from './counting.ts'
import { factsOf, normalTimes } from './example-order.fixture.ts'
import type { HtlcEvent } from './htlc.ts'
import { deriveOrder } from './state.ts'
import { deriveSwap, type SwapState, type SwapView } from './swap-state.ts'

const AMOUNT = 1_000_000n
const TOLERANCE = (AMOUNT * 300n) / 10_000n
const TIP = 1_000n
const { order } = factsOf(normalTimes('waiting', 'waiting'))
const terms = { ...order.source.terms, amount: AMOUNT }

const deposit = (id: string, amount: bigint, height: bigint | null): Initiation => ({
  swapId: 'swap',
  tx: id,
  index: 'out:0',
  deposit: id,
  kind: 'initiated',
  amount,
  expiresAt: null,
  block: height === null ? null : { height, hash: `block ${height}`, time: height },
})
const tolerant: Counting = { kind: 'tolerant', toleranceBips: 300 }
const derive = (events: readonly HtlcEvent[], counting: Counting = tolerant): SwapState => deriveSwap(terms, events, { ...view, counting })
const view: SwapView = {
  tip: { height: TIP, time: TIP },
  clock: { unit: 'blocks', expiry: 'relative', fastestMs: 1000n, slowestMs: 1000n } as SwapView['clock'],
  heightsMaySkip: false,
  requiredConfirmations: 3,
  finalityBlocks: 100,
  counting: tolerant,
  smallDeposits: null,
}
const idsOf = (deposits: readonly { readonly id: string }[]) => deposits.map(({ id }) => id)

const heights = fc.oneof(fc.bigInt({ min: 900n, max: TIP }), fc.constant(null))
const mined = fc.bigInt({ min: 900n, max: TIP })
const floodOf = (name: string, amounts: fc.Arbitrary<bigint>, height: fc.Arbitrary<bigint | null>, most = 400) =>
  fc
    .array(fc.tuple(amounts, height), { minLength: 0, maxLength: most, size: 'max' })
    .map((all) => all.map(([amount, at], n) => deposit(`${name} ${n}`, amount, at)))
const honest = fc
  .array(fc.tuple(fc.bigInt({ min: TOLERANCE + 1n, max: 1_050_000n }), heights), { minLength: 1, maxLength: MAX_COUNTED })
  .map((all) => all.map(([amount, height], n) => deposit(`honest ${n}`, amount, height)))
const dust = fc.bigInt({ min: 1n, max: TOLERANCE })
const shuffled = (events: readonly HtlcEvent[], seed: number) =>
  events
    .map((event, n) => ({ event, key: Math.imul(n + 1, seed | 1) >>> 0 }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ event }) => event)

describe('an honest order', () => {
  it('has the same outcome with any dust as without it', () => {
    fc.assert(
      fc.property(honest, floodOf('dust', dust, heights), fc.nat(), (own, flood, seed) => {
        const alone = derive(own)
        const attacked = derive(shuffled([...own, ...flood], seed))
        expect(idsOf(attacked.counted)).toEqual(idsOf(alone.counted))
        if (alone.counted.length > 0) {
          expect(attacked.phase).toBe(alone.phase)
          expect(attacked.filledAmount).toBe(alone.filledAmount)
          expect(attacked.confirmations).toBe(alone.confirmations)
        }
        expect(idsOf(attacked.deposits)).toEqual(expect.arrayContaining(idsOf(alone.deposits)))
      }),
      { numRuns: 60 },
    )
  })

  it('keeps its mined deposits whatever is unconfirmed', () => {
    const huge = fc.bigInt({ min: 1n, max: 10n ** 12n })
    fc.assert(
      fc.property(honest, floodOf('unmined', huge, fc.constant(null)), (own, flood) => {
        // This dust is below the honest deposits and not among the first of the chain, which are always considered.
        const older = Array.from({ length: MAX_COUNTED }, (_, n) => deposit(`older ${n}`, 1n, 800n))
        const kept = new Set(idsOf(derive([...older, ...flood, ...own]).deposits))
        for (const { deposit: id, block } of own) if (block !== null) expect(kept.has(id)).toBe(true)
      }),
      { numRuns: 40 },
    )
  })

  it('keeps each mined deposit unless as many larger ones are mined as are considered', () => {
    fc.assert(
      fc.property(honest, floodOf('other', fc.bigInt({ min: 1n, max: 2_000_000n }), mined), (own, flood) => {
        const all = [...own, ...flood]
        const kept = new Set(idsOf(derive(all).deposits))
        for (const { deposit: id, amount, block } of own) {
          const larger = all.filter((other) => other.block !== null && other.amount >= amount && other.deposit !== id).length
          if (block !== null && larger < MAX_MINED) expect(kept.has(id)).toBe(true)
        }
      }),
      { numRuns: 40 },
    )
  })
})

it('the deposits of a fill are considered whatever else is deposited', () => {
  const fill: Counting = { kind: 'agreed', deposits: ['honest 0', 'honest 1'] }
  const own = [deposit('honest 0', 500_000n, 950n), deposit('honest 1', 500_000n, 951n)]
  fc.assert(
    fc.property(floodOf('other', fc.bigInt({ min: 1n, max: 10n ** 12n }), heights), fc.nat(), (flood, seed) => {
      const { counted, isComplete, phase } = derive(shuffled([...own, ...flood], seed), fill)
      expect({ counted: idsOf(counted), isComplete, phase }).toEqual({ counted: fill.deposits, isComplete: true, phase: 'initiated' })
    }),
    { numRuns: 40 },
  )
})

it('whether a swap is funded exactly never depends on the bound', () => {
  const amounts = fc.oneof(fc.constantFrom(AMOUNT, AMOUNT / 2n, AMOUNT / 5n), fc.bigInt({ min: 1n, max: 3n * AMOUNT }))
  fc.assert(
    fc.property(floodOf('any', amounts, heights), (all) => {
      const bounded = derive(all, { kind: 'exact' })
      expect(idsOf(bounded.counted)).toEqual(exactByHand(all))
    }),
    { numRuns: 60 },
  )
})

/** This is the rule of exact funding, over all deposits. */
function exactByHand(all: readonly Initiation[]): readonly string[] {
  const order = (a: Initiation, b: Initiation) =>
    Number((a.block?.height ?? TIP + 1n) - (b.block?.height ?? TIP + 1n)) || (a.tx < b.tx ? -1 : 1)
  let sum = 0n
  for (const [n, { amount, deposit: id }] of all.toSorted(order).entries()) {
    sum += amount
    if (amount === AMOUNT) return [id]
    if (sum === AMOUNT && n < MAX_COUNTED)
      return all
        .toSorted(order)
        .slice(0, n + 1)
        .map((d) => d.deposit)
  }
  return []
}

describe('the bound', () => {
  const many = (count: number, height: bigint | null) =>
    Array.from({ length: count }, (_, n) => deposit(`${String(n).padStart(6, '0')}`, BigInt(1 + (n % 977)), height))

  it('limits what is considered, and counts the rest', () => {
    const { deposits, ignoredDeposits } = derive([...many(20_000, 990n), ...many(50, null).map((d) => ({ ...d, tx: `u${d.tx}` }))])
    expect(deposits.length).toBeLessThanOrEqual(MAX_MINED + MAX_UNCONFIRMED + MAX_COUNTED + 1)
    expect(deposits.length + ignoredDeposits).toBe(20_050)
  })

  it('adds the deposits that were not read', () => {
    const facts = factsOf(normalTimes('initiated', 'waiting'))
    const { source, destination } = deriveOrder({ ...facts, unreadDeposits: { source: 7, destination: 8 } })
    expect([source.ignoredDeposits, destination.ignoredDeposits]).toEqual([7, 8])
  })

  it('takes the first of equal deposits, in the order of the chain', () => {
    const equal = Array.from({ length: MAX_MINED + 50 }, (_, n) => deposit(`${1000 + n}`, 5n, 900n + BigInt(n % 3)))
    const sorted = equal.toSorted((a, b) => Number((a.block?.height ?? 0n) - (b.block?.height ?? 0n)) || (a.tx < b.tx ? -1 : 1))
    const kept = considerDeposits(sorted, { amount: AMOUNT, filled: [] })
    expect(kept).toEqual(sorted.slice(0, MAX_MINED))
  })

  it('of mined deposits is not used up by unconfirmed ones', () => {
    const small = many(MAX_MINED + MAX_COUNTED, 990n)
    const huge = Array.from({ length: MAX_UNCONFIRMED + 1 }, (_, n) => deposit(`huge ${n}`, 10n ** 12n, null))
    const kept = considerDeposits([...small, ...huge], { amount: AMOUNT, filled: [] })
    expect(kept.filter(({ block }) => block !== null).length).toBeGreaterThanOrEqual(MAX_MINED)
    expect(kept.filter(({ block }) => block === null)).toHaveLength(MAX_UNCONFIRMED)
  })

  it('changes nothing for up to that many deposits', () => {
    const all = [...many(MAX_MINED, 990n), ...many(MAX_UNCONFIRMED, null).map((d) => ({ ...d, tx: `u${d.tx}` }))]
    expect(considerDeposits(all, { amount: AMOUNT, filled: [] })).toEqual(all)
  })
})
