import { expect, test } from 'vitest'
import { rebalancingHints, type Stock } from './rebalance.ts'

const stock = (chain: string, symbol: string, balance: bigint, changes: Partial<Stock> = {}): Stock => ({
  asset: `${chain}:${symbol.toLowerCase()}`,
  chain,
  symbol,
  decimals: 8,
  balance,
  target: null,
  ...changes,
})

test('money that runs low on one chain is moved from the chain that has most to spare', () => {
  const stocks = [stock('a', 'WBTC', 100_000_000n), stock('b', 'WBTC', 700_000_000n), stock('c', 'WBTC', 400_000_000n)]
  expect(rebalancingHints(stocks)).toEqual(['a:wbtc runs low: 1; move 3 from b'])
  expect(rebalancingHints([stock('a', 'USDC', 3n), stock('b', 'USDC', 5n)])).toEqual([])
})

test('decimals may differ, and no more is moved than there is to spare', () => {
  const stocks = [
    stock('a', 'BTC', 0n, { target: 500_000_000n }),
    stock('b', 'BTC', 3n * 10n ** 18n, { decimals: 18, target: 10n ** 18n }),
    stock('c', 'BTC', 0n, { target: 100_000_000n }),
  ]
  expect(rebalancingHints(stocks)).toEqual(['a:btc runs low: 0; move 2 from b', 'c:btc runs low: 0; buy 1'])
})

test('an asset below half of its target is to be bought if there is no other', () => {
  expect(rebalancingHints([stock('a', 'SOL', 49n, { target: 100n, decimals: 0 })])).toEqual(['a:sol runs low: 49; buy 51'])
  expect(rebalancingHints([stock('a', 'SOL', 50n, { target: 100n, decimals: 0 })])).toEqual([])
})
