/** Tests how quotes are compared with the service's own prices, and ranked. */
import { createStaticFeed } from '@tandem/party/prices/static-feed.ts'
import { parseUsdPrice } from '@tandem/protocol/amount.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isWorthTooMuch, priceProblem } from './prices.ts'
import { type Bid, rankBids } from './rank.ts'
import { createRecentAuctions } from './recent-auctions.ts'

const assets = { source: { id: 'a:btc', decimals: 8 }, destination: { id: 'b:usdc', decimals: 6 } } as const
const own = { source: parseUsdPrice('60000'), destination: parseUsdPrice('1'), maxDeviationBips: 300 }

/** The bid pays one bitcoin for this many dollars. */
const bid = (dollars: bigint, changes = {}) => ({
  sourceAmount: 100_000_000n,
  destinationAmount: dollars * 1_000_000n,
  feeBips: 0,
  fixedFeeUsdMicros: 0n,
  ...changes,
})

describe("a quote beside the service's own prices", () => {
  test('is dropped beyond the bound, in either direction', () => {
    expect(priceProblem(bid(60_000n), assets, own)).toBeNull()
    expect(priceProblem(bid(61_800n), assets, own)).toBeNull()
    expect(priceProblem(bid(58_200n), assets, own)).toBeNull()
    expect(priceProblem(bid(58_199n), assets, own)).toBe(
      'its price of a:btc in b:usdc is 301 bips below ours, and at most 300 are accepted',
    )
    expect(priceProblem(bid(90_000n), assets, own)).toContain('5000 bips above ours')
  })

  test('may be lower by the fees that it states, and not higher', () => {
    const fees = { feeBips: 1000, fixedFeeUsdMicros: 1_000_000_000n }
    expect(priceProblem(bid(53_000n, fees), assets, own)).toBeNull()
    expect(priceProblem(bid(60_000n, fees), assets, own)).toContain('above ours')
    expect(priceProblem(bid(51_199n, fees), assets, own)).toContain('below ours')
  })

  test('rounding of the smallest units is no deviation', () => {
    const coarse = { source: { id: 'a:x', decimals: 0 }, destination: { id: 'b:y', decimals: 0 } } as const
    const prices = { source: parseUsdPrice('1'), destination: parseUsdPrice('3'), maxDeviationBips: 10 }
    expect(priceProblem({ sourceAmount: 8n, destinationAmount: 2n, feeBips: 0, fixedFeeUsdMicros: 0n }, coarse, prices)).toBeNull()
    expect(priceProblem({ sourceAmount: 80n, destinationAmount: 20n, feeBips: 0, fixedFeeUsdMicros: 0n }, coarse, prices)).toContain(
      'below',
    )
  })

  test('an honest price with honest fees always passes, one that is off by twice the bound never does', () => {
    const amount = fc.bigInt({ min: 10n ** 6n, max: 10n ** 12n })
    fc.assert(
      fc.property(
        amount,
        fc.bigInt({ min: 10n ** 8n, max: 10n ** 13n }),
        fc.integer({ min: 0, max: 500 }),
        (sourceAmount, price, feeBips) => {
          const prices = { source: price, destination: parseUsdPrice('1'), maxDeviationBips: 50 }
          const fair = (sourceAmount * price * BigInt(10_000 - feeBips)) / (10n ** 10n * 10_000n)
          const quoted = (destinationAmount: bigint) =>
            priceProblem({ sourceAmount, destinationAmount, feeBips, fixedFeeUsdMicros: 0n }, assets, prices)
          expect(quoted(fair)).toBeNull()
          const gross = (sourceAmount * price) / 10n ** 10n
          if (gross > 1000n) expect(quoted(fair + gross / 100n + 2n)).not.toBeNull()
        },
      ),
    )
  })
})

test('an amount is worth too much if it is above what is sent by more than the bound', () => {
  const context = { prices: createStaticFeed({ 'a:btc': own.source, 'b:usdc': own.destination }), settings: { maxQuoteDeviationBips: 300 } }
  expect(isWorthTooMuch(context, assets, 100_000_000n, 61_800_000_000n)).toBe(false)
  expect(isWorthTooMuch(context, assets, 100_000_000n, 61_800_000_001n)).toBe(true)
})

describe('rank', () => {
  const bid = (solverId: string, sourceAmount: bigint, destinationAmount: bigint, estimatedSeconds: number): Bid => ({
    solverId,
    sourceAmount,
    destinationAmount,
    estimatedSeconds,
    quoteId: '',
    feeBips: 0,
    fixedFeeUsdMicros: 0n,
    expiresAt: 0n,
    explanation: null,
  })

  const order = (bids: readonly Bid[], exact: 'source' | 'destination') =>
    rankBids(bids, exact, (id) => (id === 'reliable' ? 2 : 1)).map(({ solverId }) => solverId)

  test('exact in: ranks by the highest output, beyond the precision of a float, then the shortest time, then the id', () => {
    const big = 2n ** 200n
    expect(
      order([bid('d', 1n, big, 5), bid('c', 1n, big + 1n, 9), bid('b', 1n, big + 1n, 3), bid('a', 1n, big + 1n, 3)], 'source'),
    ).toEqual(['a', 'b', 'c', 'd'])
  })

  test('exact out: ranks by the lowest input', () => {
    expect(order([bid('b', 3n, 1n, 1), bid('a', 2n, 1n, 9)], 'destination')).toEqual(['a', 'b'])
  })

  test('the better of two equal bids is that of the more reliable solver, but never a worse or slower bid', () => {
    expect(order([bid('a', 1n, 5n, 3), bid('reliable', 1n, 5n, 3)], 'source')).toEqual(['reliable', 'a'])
    expect(order([bid('a', 1n, 5n, 3), bid('reliable', 1n, 5n, 4)], 'source')).toEqual(['a', 'reliable'])
    expect(order([bid('a', 1n, 6n, 3), bid('reliable', 1n, 5n, 3)], 'source')).toEqual(['a', 'reliable'])
  })
})

describe('recent auctions', () => {
  const topic = (extraFeeBips = 0, app = 'shop') => ({
    source: { id: 'a:x' as const },
    destination: { id: 'b:y' as const },
    extraFeeBips,
    app,
  })
  const bid = (solverId: string, sourceAmount: bigint, expiresAt = 1_000n): Bid => ({
    solverId,
    sourceAmount,
    destinationAmount: 1n,
    estimatedSeconds: 1,
    quoteId: '',
    feeBips: 0,
    fixedFeeUsdMicros: 0n,
    expiresAt,
    explanation: null,
  })
  const solvers = (bids: readonly Bid[] | null) => bids?.map(({ solverId }) => solverId) ?? null

  test('finds the bids of the newest auction of the same pair, fees and amount, while they are open and young', () => {
    const auctions = createRecentAuctions()
    auctions.remember(topic(), [bid('a', 5n, 130n), bid('b', 5n)], 100n)
    expect(solvers(auctions.find(topic(), 5n, 110n))).toEqual(['a', 'b'])
    expect(solvers(auctions.find(topic(), 5n, 130n))).toEqual(['b'])
    expect(auctions.find(topic(), 5n, 161n)).toBeNull()
    expect(auctions.find(topic(), 6n, 110n)).toBeNull()
    expect(auctions.find(topic(7), 5n, 110n)).toBeNull()
    expect(auctions.find(topic(0, 'rival'), 5n, 110n)).toBeNull()
    expect(auctions.find({ ...topic(), clientSecret: true }, 5n, 110n)).toBeNull()
    auctions.remember(topic(), [bid('b', 5n), bid('a', 5n)], 120n)
    expect(solvers(auctions.find(topic(), 5n, 120n))).toEqual(['b', 'a'])
  })

  test('exact out: an order names the amount of one bid; dearer bids do not fit it', () => {
    const auctions = createRecentAuctions()
    auctions.remember(topic(), [bid('cheap', 5n), bid('dear', 6n)], 100n)
    expect(solvers(auctions.find(topic(), 5n, 100n))).toEqual(['cheap'])
    expect(solvers(auctions.find(topic(), 6n, 100n))).toEqual(['cheap', 'dear'])
  })

  test('forgets the oldest beyond its limit', () => {
    const auctions = createRecentAuctions(2)
    for (const amount of [1n, 2n, 3n]) auctions.remember(topic(), [bid('a', amount)], 100n)
    expect(auctions.find(topic(), 1n, 100n)).toBeNull()
    expect(auctions.find(topic(), 3n, 100n)).not.toBeNull()
  })
})
