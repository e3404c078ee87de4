/** How the data files write an asset down: a chain's own coin, or a token with its address. */
import type { Asset, AssetId, ConfirmationTier } from '../asset.ts'
import { assetIcons } from './asset-icons.ts'
import type { FamilyName } from './family-data.ts'

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

const coinSchemas = {
  bitcoin: 'bitcoin:htlc',
  evm: 'evm:htlc',
  solana: 'solana:htlc',
  sui: 'sui:htlc',
  xrpl: 'xrpl:escrow',
} as const satisfies Partial<Record<FamilyName, string>>

/** The coin that fees on the chain are paid in. */
export function coin(
  chain: string,
  family: keyof typeof coinSchemas,
  of: Currency,
  confirmationTiers?: readonly [ConfirmationTier, ...ConfirmationTier[]],
): Asset {
  return {
    ...listed(chain, of),
    htlcSchema: coinSchemas[family],
    tokenSchema: null,
    tokenAddress: null,
    ...(confirmationTiers !== undefined && { confirmationTiers }),
  }
}

const tokenSchemas = {
  evm: { htlcSchema: 'evm:htlc_erc20', tokenSchema: 'evm:erc20' },
  hypercore: { htlcSchema: 'hypercore:htlc_erc20', tokenSchema: 'hypercore:erc20' },
  solana: { htlcSchema: 'solana:htlc_spltoken', tokenSchema: 'solana:spltoken' },
  starknet: { htlcSchema: 'starknet:htlc_erc20', tokenSchema: 'starknet:erc20' },
  sui: { htlcSchema: 'sui:htlc', tokenSchema: 'sui:coin' },
  tron: { htlcSchema: 'tron:htlc_erc20', tokenSchema: 'tron:erc20' },
} as const satisfies Partial<Record<FamilyName, Pick<Asset, 'htlcSchema' | 'tokenSchema'>>>

/** `tokenAddress` null: it is not confirmed here, and the asset is inactive unless an operator configures a token. */
export function token(chain: string, family: keyof typeof tokenSchemas, of: Currency, tokenAddress: string | null): Asset {
  return { ...listed(chain, of), ...tokenSchemas[family], tokenAddress }
}

function listed(chain: string, { name, symbol, decimals, icon, limits: [minAmount, maxAmount] }: Currency) {
  const id: AssetId = `${chain}:${symbol.toLowerCase()}`
  // A wrapped coin has a market of its own: its price may part from that of the coin.
  return { id, chain, name, symbol, market: symbol.toUpperCase(), icon, decimals, minAmount, maxAmount }
}
