/** Tests how a price depends on risk, inventory, fees and time. */
import { localRegistry } from '@tandem/families/local-registry.fixture.ts'
import type { PriceFeed } from '@tandem/party/prices/feed.ts'
import { judgeReadings, type Reading } from '@tandem/party/prices/judge.ts'
import { createStaticFeed } from '@tandem/party/prices/static-feed.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import type { LegCostUsd } from './leg-costs.ts'
import { explainQuote, feeBipsOf, sourceRange } from './parts.ts'
import { priceExactIn } from './price.ts'
import type { Pricing } from './pricing.ts'
import type { Stock } from './skew.ts'
import { type PriceContext, type PriceQuestion, priceTerms, secondsAtRisk } from './terms.ts'

const wbtc = 'ethereum_localnet:wbtc'
const usdc = 'arbitrum_localnet:usdc'
const registry = localRegistry({ [wbtc]: { htlc: '0x01', token: '0x02' }, [usdc]: { htlc: '0x03', token: '0x04' } })
const [source, destination] = [registry.asset(wbtc), registry.asset(usdc)]
const question: PriceQuestion = { source, destination, extraFeeBips: 10, premiumBips: 5, isIndicative: false }
/** This amount is worth 1,000 dollars. */
const MILLION_SATS = 1_000_000n

let asked: { seconds: number[] }
let stocks: Partial<Record<AssetId, Stock>>
let costs: Partial<Record<AssetId, LegCostUsd>>
let settings: Partial<Pricing>
beforeEach(() => {
  asked = { seconds: [] }
  stocks = {}
  costs = {}
  settings = {}
})

function context(): PriceContext {
  const prices: PriceFeed = {
    ...createStaticFeed({ [wbtc]: 10n ** 13n, [usdc]: 10n ** 8n }),
    volatilityBips(_a, _b, seconds) {
      asked.seconds.push(seconds)
      return 21
    },
  }
  return {
    registry,
    stockOf: async (asset) => stocks[asset] ?? { available: 10n ** 12n, target: 10n ** 12n },
    legCosts: { find: async (asset) => costs[asset] ?? null, highest: async () => null, warm: async () => undefined, coinsFor: () => 0n },
    pricing: {
      prices,
      spreadBips: 30,
      fixedFeeUsdMicros: 500_000n,
      quoteSeconds: 60n,
      priceHoldSeconds: 600n,
      priceToleranceBips: 200,
      volatilityPercent: 40n,
      networkCostPercent: 100n,
      inventorySkewBips: 100,
      inventoryTargets: {},
      feeReserves: {},
      ...settings,
    },
  }
}

test('the spread is base, volatility over the time at risk, premium and the fees of others', async () => {
  const priced = await priceTerms(context(), question)
  expect(priced.parts).toMatchObject({ basePpm: 3_000n, volatilityPpm: 840n, premiumPpm: 500n, extraPpm: 1_000n, rebatePpm: 0n })
  expect(priced.terms.feePpm).toBe(5_340n)
  expect(asked.seconds).toEqual([Number(secondsAtRisk(context(), source, destination))])
  // The time of a quote, the time that its price holds for a deposit, and one block more than the confirmations of each leg.
  const confirming = [source, destination].map(({ chain }) => registry.chain(chain))
  const ms = confirming.reduce((sum, chain) => sum + (chain.requiredConfirmations + 1) * Number(chain.blockMs), 0)
  expect(asked.seconds[0]).toBe(60 + 300 + Math.ceil(ms / 1000))
  const destinationAmount = priceExactIn(priced.terms, MILLION_SATS)
  expect(destinationAmount).toBe(994_160_000n)
  expect(feeBipsOf(priced, { sourceAmount: MILLION_SATS, destinationAmount })).toBe(54)
})

test('both legs are charged at current fees, if they cost more than the fixed fee', async () => {
  costs[wbtc] = { initiate: 90n, redeem: 300_000n, refund: 80n, paidRedeem: 300_000n }
  costs[usdc] = { initiate: 100_000n, redeem: 50_000n, refund: 70n, paidRedeem: 50_000n }
  const cheap = await priceTerms(context(), question)
  expect(cheap.parts).toMatchObject({ sourceCost: 300_000n, destinationCost: 150_000n, fixed: 50_000n })
  expect(cheap.terms.fixedUsdMicros).toBe(500_000n)
  costs[usdc] = { initiate: 400_000n, redeem: 50_000n, refund: 70n, paidRedeem: 0n }
  const dear = await priceTerms(context(), question)
  expect(dear.parts).toMatchObject({ sourceCost: 300_000n, destinationCost: 400_000n, fixed: 0n })
  expect(dear.terms.fixedUsdMicros).toBe(700_000n)
  settings = { networkCostPercent: 150n }
  expect((await priceTerms(context(), question)).terms.fixedUsdMicros).toBe(1_050_000n)
  settings = { networkCostPercent: 0n }
  expect((await priceTerms(context(), question)).terms.fixedUsdMicros).toBe(500_000n)
})

test('fees never take all of the source', async () => {
  const { terms } = await priceTerms(context(), { ...question, premiumBips: 10_000 })
  expect(terms.feePpm).toBe(999_999n)
})

describe('inventory', () => {
  const ppmOf = async (available: bigint) => {
    stocks[usdc] = { available, target: 1_000n }
    return (await priceTerms(context(), question)).terms.levels
  }

  test('the destination costs more the less is left of it', async () => {
    expect(await ppmOf(1_000n)).toEqual([
      { upTo: 500n, ppm: 0n },
      { upTo: 750n, ppm: 2_500n },
      { upTo: 900n, ppm: 5_000n },
      { upTo: null, ppm: 10_000n },
    ])
    expect(await ppmOf(250n)).toEqual([
      { upTo: 150n, ppm: 5_000n },
      { upTo: null, ppm: 10_000n },
    ])
    expect(await ppmOf(0n)).toEqual([{ upTo: null, ppm: 10_000n }])
  })

  test('a source that the solver has little of gets a rebate, at most half of what the solver charges', async () => {
    stocks[wbtc] = { available: 400n, target: 1_000n }
    const { parts, terms } = await priceTerms(context(), question)
    expect([parts.rebatePpm, terms.feePpm]).toEqual([2_170n, 5_340n - 2_170n])
    settings = { inventorySkewBips: 40 }
    expect((await priceTerms(context(), question)).parts.rebatePpm).toBe(1_000n)
    expect((await priceTerms(context(), { ...question, isIndicative: true })).parts.rebatePpm).toBe(0n)
  })

  test('the range of a pair: its ends can be quoted, and nothing beyond', async () => {
    const { terms } = await priceTerms(context(), question)
    const available = 500_000_000n
    const range = sourceRange(terms, source, destination, available)
    expect(priceExactIn(terms, range.max)).toBeLessThanOrEqual(available)
    expect(priceExactIn(terms, range.max + 1n)).toBeGreaterThan(available)
    expect(priceExactIn(terms, range.min)).toBeGreaterThanOrEqual(destination.minAmount)
    expect(sourceRange(terms, source, destination, 0n).max).toBe(0n)
  })
})

test.each<[string, Stock | undefined]>([
  ['a full source', undefined],
  ['a scarce source', { available: 400n, target: 1_000n }],
])('the parts add up to what the quote takes, and its fee covers them, with %s', async (_, stock) => {
  stocks[usdc] = { available: 600_000_000n, target: 1_000_000_000n }
  if (stock !== undefined) stocks[wbtc] = stock
  costs[wbtc] = { initiate: 0n, redeem: 200_000n, refund: 0n, paidRedeem: 0n }
  const priced = await priceTerms(context(), question)
  const destinationAmount = priceExactIn(priced.terms, MILLION_SATS)
  const parts = explainQuote(priced, { sourceAmount: MILLION_SATS, destinationAmount })
  expect(parts.map(({ name }) => name)).toEqual(['base', 'volatility', 'inventory', 'premium', 'extra', 'source_cost', 'fixed'])
  const sum = parts.reduce((usd, { usd_micros = '0' }) => usd + BigInt(usd_micros), 0n)
  const taken = 1_000_000_000n - destinationAmount
  // The unit is a millionth of the source, rounded up.
  expect(sum - taken).toBeGreaterThanOrEqual(0n)
  expect(sum - taken).toBeLessThan(2_000n)
  const shares = parts.filter(({ name }) => name !== 'source_cost' && name !== 'fixed')
  const ppm = shares.reduce((total, { ppm: part = 0 }) => total + part, 0)
  expect(feeBipsOf(priced, { sourceAmount: MILLION_SATS, destinationAmount })).toBe(Math.ceil(ppm / 100))
})

describe('one source that lies by 2 %', () => {
  const NOW = 1_700_000_000_000
  const [bitcoin, dollar] = [10n ** 13n, 10n ** 8n]
  const said = (price: bigint, ageMs = 0): Reading => ({ source: 's', price, at: NOW - ageMs, maxAgeMs: 60_000 })
  const silent = (price: bigint) => said(price, 60_001)
  const rules = { minSources: 2, maxDeviationBips: 100 }
  /** If two sources are 2 % apart, each is 1 % from the middle; below the truth a little less. */
  const lieOf = (price: bigint, sign: bigint) => (price * (sign > 0n ? 10_200n : 9_802n)) / 10_000n

  /** Returns what a user gets for a million satoshis if the sources say this about bitcoin and the dollar. */
  async function offer(ofBitcoin: readonly Reading[], ofDollar: readonly Reading[]): Promise<bigint> {
    const base = context()
    const verdicts = new Map([
      [wbtc, judgeReadings(ofBitcoin, rules, NOW)],
      [usdc, judgeReadings(ofDollar, rules, NOW)],
    ])
    const prices: PriceFeed = {
      ...base.pricing.prices,
      find: (asset) => verdicts.get(asset as typeof wbtc)?.price ?? null,
      of: (asset) => verdicts.get(asset as typeof wbtc)?.price ?? 0n,
      range: (asset) => verdicts.get(asset as typeof wbtc)?.range ?? null,
    }
    return priceExactIn((await priceTerms({ ...base, pricing: { ...base.pricing, prices } }, question)).terms, MILLION_SATS)
  }

  test.each([
    ['of two', (honest: bigint, lie: bigint) => [said(honest), said(lie)]],
    ['of three of which one is silent', (honest: bigint, lie: bigint) => [said(honest), said(lie), silent(honest)]],
    ['of three', (honest: bigint, lie: bigint) => [said(honest), said(lie), said(honest)]],
  ])('%s moves no price in favour of the user, whichever asset and direction it lies about', async (_, tell) => {
    const honest = await offer([said(bitcoin), said(bitcoin)], [said(dollar), said(dollar)])
    for (const sign of [1n, -1n]) {
      expect(await offer(tell(bitcoin, lieOf(bitcoin, sign)), [said(dollar), said(dollar)])).toBeLessThanOrEqual(honest)
      expect(await offer([said(bitcoin), said(bitcoin)], tell(dollar, lieOf(dollar, sign)))).toBeLessThanOrEqual(honest)
    }
    // The lies that would have paid are worth exactly nothing.
    expect(await offer(tell(bitcoin, lieOf(bitcoin, 1n)), [said(dollar), said(dollar)])).toBe(honest)
    expect(await offer([said(bitcoin), said(bitcoin)], tell(dollar, lieOf(dollar, -1n)))).toBe(honest)
  })
})

describe('a user who may choose the moment pays for it', () => {
  const YEAR = 31_557_600
  /** Returns one standard deviation of a rate with this volatility a year. */
  const deviation = (percentAYear: number, seconds: number) => Math.ceil(percentAYear * 100 * Math.sqrt(seconds / YEAR))

  async function volatilityBips(percentAYear: number, clientSecret?: PriceQuestion['clientSecret']): Promise<number> {
    const base = context()
    const prices: PriceFeed = { ...base.pricing.prices, volatilityBips: (_a, _b, seconds) => deviation(percentAYear, seconds) }
    const { parts } = await priceTerms(
      { ...base, pricing: { ...base.pricing, prices } },
      { ...question, ...(clientSecret !== undefined && { clientSecret }) },
    )
    return Number(parts.volatilityPpm) / 100
  }

  /** Returns what an ideal chooser expects to keep: after `steps` moves it goes on if the move is above the fee, else walks away. */
  function keptBips(deviationBips: number, feeBips: number, steps = 400): number {
    const move = deviationBips / Math.sqrt(steps)
    let [chance, sum] = [2 ** -steps, 0]
    for (let ups = 0; ups <= steps; ups++) {
      sum += chance * Math.max(0, (2 * ups - steps) * move - feeBips)
      chance *= (steps - ups) / (ups + 1)
    }
    return sum
  }

  // On the local network these are 60 s of a quote, 300 s of hold, 4 s of confirmations, and 180 s of the timelock.
  const CHOICE_SECONDS = 544

  test.each([50, 80])('at %s %% a year a client-held secret pays for the time in which it may be kept', async (percent) => {
    const without = await volatilityBips(percent)
    const withSecret = await volatilityBips(percent, { openPercent: 0n })
    expect(without).toBeCloseTo(0.4 * deviation(percent, CHOICE_SECONDS - 180), 1)
    expect(withSecret).toBeCloseTo(0.4 * deviation(percent, CHOICE_SECONDS), 1)
    // At the limit of open amounts 1.5 standard deviations are charged; above it not more.
    const most = await volatilityBips(percent, { openPercent: 100n })
    expect(most).toBeCloseTo(1.5 * deviation(percent, CHOICE_SECONDS), 1)
    expect(await volatilityBips(percent, { openPercent: 1_000n })).toBe(most)
    expect(await volatilityBips(percent, { openPercent: 50n })).toBeCloseTo(0.95 * deviation(percent, CHOICE_SECONDS), 1)
  })

  test.each([
    // Two hours are 75.6 bips at 50 %, and 120.9 at 80 %. A spread of 30 bips is charged in addition.
    [50, 7_200],
    [80, 7_200],
  ])('what an ideal chooser keeps of an option at %s %% over %s s', (percent, seconds) => {
    const one = deviation(percent, seconds)
    const [spread, least, most] = [30, 0.4 * one, 1.5 * one]
    // The spread and 0.4 deviations over 150 s: φ(z) − z·(1 − Φ(z)) at z = 0.46 and 0.31 is 15 and 32 bips.
    const before = keptBips(one, spread + 0.4 * deviation(percent, 150))
    expect(before).toBeGreaterThan(percent === 50 ? 14 : 29)
    // For the first order, z is 0.8 and 0.65: the chooser keeps a third less, and only few orders are taken at that price.
    expect(keptBips(one, spread + least)).toBeLessThan(before * 0.65)
    // At the limit of open amounts, z is 1.9 and 1.75, a hundredth and two of a deviation. A day of 10 % a year on the deposit, which stays
    // locked, costs 2.7.
    expect(keptBips(one, spread + most)).toBeLessThan(2.7 * 0.96)
  })
})
