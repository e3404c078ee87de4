/** Families list their assets with these helpers: a chain's own coin, or a token with its address. */
import type { Asset, AssetId, ConfirmationTier } from '../asset.ts'
import { assetIcons } from './asset-icons.ts'

/** `limits` are the smallest and the largest swap, in the smallest unit. */
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

/** The assets pay the fees on their chain. */
export function coinsOf(htlcSchema: string) {
  return (chain: string, of: Currency, confirmationTiers?: readonly [ConfirmationTier, ...ConfirmationTier[]]): Asset => ({
    ...listed(chain, of),
    htlcSchema,
    tokenSchema: null,
    tokenAddress: null,
    ...(confirmationTiers !== undefined && { confirmationTiers }),
  })
}

/** A null `tokenAddress` is not confirmed; the asset is then inactive unless an operator configures a token. */
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
  // A wrapped coin has a market of its own, because its price may differ from that of the coin.
  return { id, chain, name, symbol, market: symbol.toUpperCase(), icon, decimals, minAmount, maxAmount }
}
