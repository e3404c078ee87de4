import { expect, test } from 'vitest'
import { type Bid, rankBids } from './rank.ts'

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
  expect(order([bid('d', 1n, big, 5), bid('c', 1n, big + 1n, 9), bid('b', 1n, big + 1n, 3), bid('a', 1n, big + 1n, 3)], 'source')).toEqual([
    'a',
    'b',
    'c',
    'd',
  ])
})

test('exact out: ranks by the lowest input', () => {
  expect(order([bid('b', 3n, 1n, 1), bid('a', 2n, 1n, 9)], 'destination')).toEqual(['a', 'b'])
})

test('of equal bids the one of the more reliable solver is better, but never a worse or slower one', () => {
  expect(order([bid('a', 1n, 5n, 3), bid('reliable', 1n, 5n, 3)], 'source')).toEqual(['reliable', 'a'])
  expect(order([bid('a', 1n, 5n, 3), bid('reliable', 1n, 5n, 4)], 'source')).toEqual(['a', 'reliable'])
  expect(order([bid('a', 1n, 6n, 3), bid('reliable', 1n, 5n, 3)], 'source')).toEqual(['a', 'reliable'])
})
