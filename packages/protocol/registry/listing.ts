/** How the rows of families write an asset down: a chain's own coin, or a token with its address. */
import type { Asset, AssetId, ConfirmationTier } from '../asset.ts'
import { assetIcons } from './asset-icons.ts'

/** One kind of money, wherever it is. `limits` are the smallest and the largest swap, in the smallest unit. */
export type Currency = {
  readonly name: string
  readonly symbol: string
  readonly decimals: number
  readonly icon: Asset['icon']
  readonly limits: readonly [bigint, bigint]
}

export function currency(name: string, symbol: string, decimals: number, limits: Currency['limits']): Currency {
  const icon = new Map<string, Asset['icon']>(Object.entries(assetIcons)).get(symbol.toLowerCase())
  if (icon === undefined) throw new Error(`${symbol} has no icon`)
  return { name, symbol, decimals, icon, limits }
}

/** Makes assets that are the coin that fees on their chain are paid in. */
export function coinsOf(htlcSchema: string) {
  return (chain: string, of: Currency, confirmationTiers?: readonly [ConfirmationTier, ...ConfirmationTier[]]): Asset => ({
    ...listed(chain, of),
    htlcSchema,
    tokenSchema: null,
    tokenAddress: null,
    ...(confirmationTiers !== undefined && { confirmationTiers }),
  })
}

/** Makes assets that are tokens. `tokenAddress` null: it is not confirmed, and the asset is inactive unless an operator configures a token. */
export function tokensOf(htlcSchema: string, tokenSchema: string) {
  return (chain: string, of: Currency, tokenAddress: string | null): Asset => ({
    ...listed(chain, of),
    htlcSchema,
    tokenSchema,
    tokenAddress,
  })
}

function listed(chain: string, { name, symbol, decimals, icon, limits: [minAmount, maxAmount] }: Currency) {
  const id: AssetId = `${chain}:${symbol.toLowerCase()}`
  // A wrapped coin has a market of its own: its price may part from that of the coin.
  return { id, chain, name, symbol, market: symbol.toUpperCase(), icon, decimals, minAmount, maxAmount }
}
