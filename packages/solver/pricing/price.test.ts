/** Tests the arithmetic of prices, fees and roundings. */
import { parseUsdPrice } from '@tandem/protocol/amount.ts'
import { factsOf, normalTimes } from '@tandem/protocol/example-order.fixture.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FLAT, type Level, type PricedAsset, type PriceTerms, priceExactIn, priceExactOut, surcharge } from './price.ts'
import { impliedPrices, isPriceOver, maxAmountAt, toleranceBips } from './price-limit.ts'
import { type Stock, skewLevels } from './skew.ts'

const btcToUsdc: PriceTerms = {
  source: { decimals: 8, price: parseUsdPrice('100000') },
  destination: { decimals: 6, price: parseUsdPrice('1') },
  feePpm: 3_000n,
  fixedUsdMicros: 500_000n,
  levels: FLAT,
}

/** The first 100 have no surcharge, the next 100 have 10 %, the remaining ones 50 %. */
const levels: readonly Level[] = [
  { upTo: 100n, ppm: 0n },
  { upTo: 200n, ppm: 100_000n },
  { upTo: null, ppm: 500_000n },
]

describe('solver prices', () => {
  test('0.01 BTC at 100,000 dollars less 0.3 % and half a dollar', () => {
    expect(priceExactIn(btcToUsdc, 1_000_000n)).toBe(996_500_000n)
  })

  test('an amount below the fees buys nothing', () => {
    expect(priceExactIn(btcToUsdc, 1n)).toBe(0n)
  })

  test('each part of the amount pays the surcharge of its level', () => {
    const even = { decimals: 0, price: 1n }
    const terms = { source: even, destination: even, feePpm: 0n, fixedUsdMicros: 0n, levels }
    expect([100n, 101n, 200n, 210n].map((wanted) => priceExactOut(terms, wanted))).toEqual([100n, 102n, 210n, 225n])
    expect([100n, 101n, 102n, 210n, 224n, 225n].map((given) => priceExactIn(terms, given))).toEqual([100n, 100n, 101n, 200n, 209n, 210n])
    expect(surcharge(levels, 210n)).toBe(15_000_000n)
  })

  const asset = fc.record({ decimals: fc.integer({ min: 0, max: 18 }), price: fc.bigInt({ min: 1n, max: 10n ** 15n }) })
  const ladder = fc
    .array(fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.bigInt({ min: 0n, max: 200_000n })), { maxLength: 4 })
    .map((steps): readonly Level[] => {
      const ends = steps.map(([upTo]) => upTo).sort((a, b) => (a < b ? -1 : 1))
      return [...ends.map((upTo, i) => ({ upTo, ppm: steps[i]?.[1] ?? 0n })), { upTo: null, ppm: 250_000n }]
    })
  const terms = fc.record({
    source: asset,
    destination: asset,
    feePpm: fc.bigInt({ min: 0n, max: 500_000n }),
    fixedUsdMicros: fc.bigInt({ min: 0n, max: 10n ** 9n }),
    levels: ladder,
  })
  const amount = fc.bigInt({ min: 1n, max: 10n ** 30n })

  test('exact in and exact out agree to the last unit', () => {
    fc.assert(
      fc.property(terms, amount, (priceTerms, wanted) => {
        const source = priceExactOut(priceTerms, wanted)
        expect(priceExactIn(priceTerms, source)).toBeGreaterThanOrEqual(wanted)
        expect(priceExactIn(priceTerms, source - 1n)).toBeLessThan(wanted)
      }),
      { numRuns: 1_000 },
    )
    fc.assert(
      fc.property(terms, amount, (priceTerms, given) => {
        const bought = priceExactIn(priceTerms, given)
        if (bought > 0n) expect(priceExactOut(priceTerms, bought)).toBeLessThanOrEqual(given)
        expect(priceExactOut(priceTerms, bought + 1n)).toBeGreaterThan(given)
      }),
      { numRuns: 1_000 },
    )
  })

  test('a higher fee never pays out more', () => {
    fc.assert(
      fc.property(terms, amount, (priceTerms, given) => {
        const before = priceExactIn(priceTerms, given)
        const { feePpm, fixedUsdMicros } = priceTerms
        expect(priceExactIn({ ...priceTerms, feePpm: feePpm + 1n }, given)).toBeLessThanOrEqual(before)
        expect(priceExactIn({ ...priceTerms, fixedUsdMicros: fixedUsdMicros + 1n }, given)).toBeLessThanOrEqual(before)
        const dearer = priceTerms.levels.map((level) => ({ ...level, ppm: level.ppm + 1n }))
        expect(priceExactIn({ ...priceTerms, levels: dearer }, given)).toBeLessThanOrEqual(before)
      }),
    )
  })
})

const then = { source: 60_000n, destination: 30_000n }

test('the most to pay follows the exchange rate, widened by the tolerance, rounded down', () => {
  expect(maxAmountAt(1_000n, then, then, 0)).toBe(1_000n)
  expect(maxAmountAt(1_000n, then, { source: 54_000n, destination: 30_000n }, 0)).toBe(900n)
  expect(maxAmountAt(1_000n, then, { source: 54_000n, destination: 30_000n }, 1_000)).toBe(1_000n)
  expect(maxAmountAt(1_000n, then, { source: 60_000n, destination: 30_001n }, 0)).toBe(999n)
  expect(maxAmountAt(1_000n, then, { source: 60_000n, destination: 0n }, 500)).toBe(0n)
})

test('an amount above or below the present offer is compared with the prices that it follows from', () => {
  const prices = impliedPrices(then, 1_020n, 1_000n)
  expect(maxAmountAt(1_020n, prices, then, 0)).toBe(1_000n)
  expect(maxAmountAt(980n, impliedPrices(then, 980n, 1_000n), then, 0)).toBe(1_000n)
  // Rounding up favours the solver.
  expect(impliedPrices({ source: 10n, destination: 10n }, 1n, 3n)).toEqual({ source: 4n, destination: 10n })
})

test('after the price is over only the spread may be lost', () => {
  expect(toleranceBips({ priceToleranceBips: 200, spreadBips: 30 }, false)).toBe(200)
  expect(toleranceBips({ priceToleranceBips: 200, spreadBips: 30 }, true)).toBe(30)
  expect(toleranceBips({ priceToleranceBips: 20, spreadBips: 30 }, true)).toBe(20)
})

test('the price is over for a deposit mined too late, and when it is far too late to pay', () => {
  const { order, chains } = factsOf(normalTimes('initiated', 'waiting'))
  const { priceExpiresAt } = order
  expect(isPriceOver(order, chains.source, [priceExpiresAt], priceExpiresAt)).toBe(false)
  expect(isPriceOver(order, chains.source, [priceExpiresAt, priceExpiresAt + 1n], priceExpiresAt)).toBe(true)
  const slack = (3n * BigInt(order.source.requiredConfirmations) * chains.source.blockMs) / 1000n
  expect(isPriceOver(order, chains.source, [priceExpiresAt], priceExpiresAt + slack)).toBe(false)
  expect(isPriceOver(order, chains.source, [priceExpiresAt], priceExpiresAt + slack + 1n)).toBe(true)
})

/** The test checks that no path of quotes is a free round trip. */
const PATHS = 100_000

/** The numbers are deterministic, so a path that fails can be run again alone. */
function randomOf(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0
    const mixed = Math.imul(state ^ (state >>> 12), 0x297a2d39)
    return ((mixed ^ (mixed >>> 15)) >>> 0) % below
  }
}

type Random = ReturnType<typeof randomOf>
const powerOf = (random: Random, digits: number) => 10n ** BigInt(random(digits)) * BigInt(1 + random(999))

type Traded = PricedAsset & { stock: Stock }

function someAssets(random: Random): readonly Traded[] {
  return Array.from({ length: 2 + random(3) }, () => {
    const target = powerOf(random, 20)
    return { decimals: random(19), price: powerOf(random, 13), stock: { available: (target * BigInt(random(150))) / 100n, target } }
  })
}

function someTerms(random: Random, source: Traded, destination: Traded, isFree: boolean): PriceTerms {
  return {
    source,
    destination,
    feePpm: isFree ? 0n : BigInt(1 + random(20_000)),
    fixedUsdMicros: isFree ? 0n : BigInt(random(1_000_000)),
    levels: skewLevels(destination.stock, BigInt(random(10_000))),
  }
}

/** Swaps exact in, or exact out with the least that the user must pay for what exact in would give. Inventory moves with each swap. */
function swap(random: Random, terms: PriceTerms, source: Traded, destination: Traded, amount: bigint): bigint {
  const bought = priceExactIn(terms, amount)
  if (random(2) === 0 && bought > 0n && priceExactOut(terms, bought) > amount) throw new Error('exact out costs more than exact in')
  source.stock = { ...source.stock, available: source.stock.available + amount }
  destination.stock = { ...destination.stock, available: destination.stock.available - bought }
  return bought
}

/** A path ends with the asset that it began with. */
function walk(seed: number): { readonly given: bigint; readonly back: bigint } {
  const random = randomOf(seed)
  const assets = someAssets(random)
  const isFree = random(10) === 0
  const pick = (): Traded => assets[random(assets.length)] as Traded
  const first = pick()
  const given = powerOf(random, 24)
  let [held, amount] = [first, given]
  for (let leg = 1 + random(4); leg > 0 && amount > 0n; leg -= 1) {
    const next = pick()
    if (next === held) continue
    amount = swap(random, someTerms(random, held, next, isFree), held, next, amount)
    held = next
  }
  if (held !== first) amount = swap(random, someTerms(random, held, first, isFree), held, first, amount)
  return { given, back: amount }
}

test(`${PATHS} random paths over changing inventories and fees never end with more than they began with`, () => {
  const gains: number[] = []
  let swapped = 0
  for (let seed = 0; seed < PATHS; seed += 1) {
    const { given, back } = walk(seed)
    if (back > given) gains.push(seed)
    if (back < given) swapped += 1
  }
  expect(gains).toEqual([])
  // Otherwise the paths did nothing.
  expect(swapped).toBeGreaterThan(PATHS / 2)
})
