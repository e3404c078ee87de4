/** Prices and balances of the local network: made up, and the same at every start. */
import type { Asset } from '../protocol/asset.ts'

/** US dollars per whole coin, by asset id. */
export const localPrices: Readonly<Record<string, string>> = {
  'bitcoin_regtest:btc': '100000',
  'litecoin_regtest:ltc': '100',
  'ethereum_localnet:eth': '4000',
  'ethereum_localnet:wbtc': '100000',
  'ethereum_localnet:usdc': '1',
  'arbitrum_localnet:eth': '4000',
  'arbitrum_localnet:wbtc': '100000',
  'arbitrum_localnet:usdc': '1',
  'hypercore_localnet:purr': '2',
  'tron_localnet:usdt': '1',
  'tron_localnet:wbtc': '100000',
}

export type LocalBalances = {
  readonly solverAmount: bigint
  /** In how many payments: on a chain of coins one coin serves one order at a time. */
  readonly solverCoins: number
  readonly userAmount: bigint
  /** The service pays for gas with it, or adds it to a fee. */
  readonly relayAmount: bigint
}

/** `paysByCoins`: whether a chain knows single coins, not balances. */
export function localInventory(asset: Asset, paysByCoins: boolean): LocalBalances {
  const { maxAmount } = asset
  if (paysByCoins) return { solverAmount: 40n * maxAmount, solverCoins: 8, userAmount: 2n * maxAmount, relayAmount: maxAmount / 10n }
  const whole = 10n ** BigInt(asset.decimals)
  if (asset.tokenSchema === null)
    return { solverAmount: 1_000n * whole, solverCoins: 1, userAmount: 100n * whole, relayAmount: 100n * whole }
  return { solverAmount: 50n * maxAmount, solverCoins: 1, userAmount: 2n * maxAmount, relayAmount: 0n }
}
