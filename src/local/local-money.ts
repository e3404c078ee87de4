/** Prices and balances of the local network: made up, and the same at every start. */
import type { Asset } from '../protocol/asset.ts'

/** US dollars per whole coin, by asset id. */
export const localPrices: Readonly<Record<string, string>> = {
  'bitcoin_regtest:btc': '100000',
  'ethereum_localnet:eth': '4000',
  'ethereum_localnet:wbtc': '100000',
  'ethereum_localnet:usdc': '1',
  'arbitrum_localnet:eth': '4000',
  'arbitrum_localnet:wbtc': '100000',
  'arbitrum_localnet:usdc': '1',
}

export type LocalBalances = {
  readonly solverAmount: bigint
  /** In how many payments: on a chain of coins one coin serves one order at a time. */
  readonly solverCoins: number
  readonly userAmount: bigint
  /** The service pays for gas with it. */
  readonly relayAmount: bigint
}

export function localInventory(asset: Asset): LocalBalances {
  const whole = 10n ** BigInt(asset.decimals)
  if (asset.tokenSchema === null && asset.symbol === 'BTC')
    return { solverAmount: 40n * whole, solverCoins: 8, userAmount: 2n * whole, relayAmount: 0n }
  if (asset.tokenSchema === null)
    return { solverAmount: 1_000n * whole, solverCoins: 1, userAmount: 100n * whole, relayAmount: 100n * whole }
  return { solverAmount: asset.maxAmount * 50n, solverCoins: 1, userAmount: asset.maxAmount * 2n, relayAmount: 0n }
}
