import { factsOf, normalTimes } from '@tandem/protocol/example-order.fixture.ts'
import { expect, test } from 'vitest'
import { impliedPrices, isPriceOver, mostAt, toleranceBips } from './price-limit.ts'

const then = { source: 60_000n, destination: 30_000n }

test('the most to pay follows the exchange rate, widened by the tolerance, rounded down', () => {
  expect(mostAt(1_000n, then, then, 0)).toBe(1_000n)
  expect(mostAt(1_000n, then, { source: 54_000n, destination: 30_000n }, 0)).toBe(900n)
  expect(mostAt(1_000n, then, { source: 54_000n, destination: 30_000n }, 1_000)).toBe(1_000n)
  expect(mostAt(1_000n, then, { source: 60_000n, destination: 30_001n }, 0)).toBe(999n)
  expect(mostAt(1_000n, then, { source: 60_000n, destination: 0n }, 500)).toBe(0n)
})

test('an amount above or below the present offer is compared with the prices that it follows from', () => {
  const prices = impliedPrices(then, 1_020n, 1_000n)
  expect(mostAt(1_020n, prices, then, 0)).toBe(1_000n)
  expect(mostAt(980n, impliedPrices(then, 980n, 1_000n), then, 0)).toBe(1_000n)
  // Rounded up, in favour of the solver.
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
