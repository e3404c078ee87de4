/** Chains of several families have these kinds of money, with the smallest and the largest swap in each environment. */
import { type Currency, currency } from './listing.ts'

type Limits = Currency['limits']

/** `bitcoinLimits` are in the smallest unit of a token with this many decimals. */
function currencies(bitcoinLimits: (decimals: number) => Limits, dollarLimits: Limits) {
  return {
    bitcoinLimits,
    btc: currency('Bitcoin', 'BTC', 8, bitcoinLimits(8)),
    wbtc: currency('Wrapped Bitcoin', 'WBTC', 8, bitcoinLimits(8)),
    cbbtc: currency('Coinbase Wrapped Bitcoin', 'cbBTC', 8, bitcoinLimits(8)),
    ibtc: currency('iBTC', 'iBTC', 8, bitcoinLimits(8)),
    usdc: currency('USD Coin', 'USDC', 6, dollarLimits),
    usdt: currency('Tether USD', 'USDT', 6, dollarLimits),
  } as const
}

/** Swaps are 0.0005 to 1 bitcoin, or 50 to 100,000 dollars. */
export const mainnetCurrencies = currencies(
  (decimals) => [5n * 10n ** BigInt(decimals - 4), 10n ** BigInt(decimals)],
  [50_000_000n, 100_000_000_000n],
)

/** Swaps are 0.0001 to 0.1 bitcoin, or 1 to 10,000 dollars. */
export const testnetCurrencies = currencies(
  (decimals) => [10n ** BigInt(decimals - 4), 10n ** BigInt(decimals - 1)],
  [1_000_000n, 10_000_000_000n],
)

/** Swaps are 0.0001 to 1 bitcoin, or 1 to 100,000 dollars. */
export const localCurrencies = currencies(
  (decimals) => [10n ** BigInt(decimals - 4), 10n ** BigInt(decimals)],
  [1_000_000n, 100_000_000_000n],
)
