/** Tests how the answers of price oracles are read and refused. */
import type { OracleAnswer } from '@tandem/chain-kit/port/abilities/reading.ts'
import { expect, test } from 'vitest'
import { createOracleSource } from './oracle.ts'

const ask = (says: Partial<OracleAnswer>) =>
  createOracleSource(['BTC', 'ETH'], {
    name: 'oracle',
    read: async (contract) => {
      if (contract !== '0xfeed') throw new Error('no feed')
      return { answer: 6_000_000_000_000n, decimals: 8, updatedAt: 1_700_000_000n, ...says }
    },
    contracts: { BTC: '0xfeed', ETH: '0xdead', LTC: '0xfeed' },
    maxAgeMs: 1,
  }).read()

test('a feed has a price in its own decimals, and the time of its last change', async () => {
  const price = 6_000_000_000_000n
  expect(await ask({})).toEqual([
    { market: 'BTC', price, at: 1_700_000_000_000, problem: null },
    { market: 'ETH', price: null, problem: 'no feed' },
  ])
  expect((await ask({ answer: 60_000n * 10n ** 18n + 1n, decimals: 18 }))[0]?.price).toBe(price)
  expect((await ask({ answer: 60_000n, decimals: 0 }))[0]?.price).toBe(price)
})

test.each([
  [{ answer: 0n }, 'its price is 0'],
  [{ answer: -5n }, 'its price is negative'],
  [{ answer: 5n, decimals: 18 }, 'its price is 0'],
])('an impossible answer is no price: %#', async (says, problem) => {
  expect((await ask(says))[0]).toEqual({ market: 'BTC', price: null, problem })
})
