/** No path of quotes is a free round trip. */
import { expect, test } from 'vitest'
import { type PricedAsset, type PriceTerms, priceExactIn, priceExactOut } from './price.ts'
import { type Stock, skewLevels } from './skew.ts'

const PATHS = 100_000

/** Deterministic: a failure names its path, which can be run again alone. */
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

/** Exact in, or exact out with the least that the user must pay for what exact in would give. Inventory moves with each swap. */
function swap(random: Random, terms: PriceTerms, source: Traded, destination: Traded, amount: bigint): bigint {
  const bought = priceExactIn(terms, amount)
  if (random(2) === 0 && bought > 0n && priceExactOut(terms, bought) > amount) throw new Error('exact out costs more than exact in')
  source.stock = { ...source.stock, available: source.stock.available + amount }
  destination.stock = { ...destination.stock, available: destination.stock.available - bought }
  return bought
}

/** Ends with the asset that it began with. */
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
  // Else the paths did nothing.
  expect(swapped).toBeGreaterThan(PATHS / 2)
})
