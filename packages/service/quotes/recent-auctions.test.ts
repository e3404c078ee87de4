import { expect, test } from 'vitest'
import type { Bid } from './rank.ts'
import { createRecentAuctions } from './recent-auctions.ts'

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
