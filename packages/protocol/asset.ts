/** An asset as data, and the form of its id. */
import type { ChainId } from './chain-id.ts'
import { TandemError } from './error.ts'
import type { Icon } from './icon.ts'

/** `<chain>:<token>`, lower case. */
export type AssetId = `${string}:${string}`

export type Asset = {
  readonly id: AssetId
  readonly chain: ChainId
  readonly name: string
  readonly symbol: string
  /** The market whose price in US dollars is its price, such as `BTC`. */
  readonly market: string
  readonly icon: Icon
  readonly decimals: number
  readonly minAmount: bigint
  readonly maxAmount: bigint
  readonly htlcSchema: string
  /** null: the chain's own coin. */
  readonly tokenSchema: string | null
  /** The token's public address, as its issuer prints it. null: the chain's own coin, or a token whose address is not confirmed here. */
  readonly tokenAddress: string | null
  /** Confirmations by amount, ascending, the first from 0. Absent: `requiredConfirmations` of the chain for every amount. */
  readonly confirmationTiers?: readonly ConfirmationTier[]
}

/** From this amount on. */
export type ConfirmationTier = { readonly from: bigint; readonly confirmations: number }

/** Where an asset's contracts are, in the form that code compares; a chain without contracts has neither. */
export type Deployment = {
  readonly htlc: string | null
  readonly token: string | null
}

/** Asset ids compare case-insensitively and print in lower case. */
export function parseAssetId(text: string): AssetId {
  const id = text.toLowerCase()
  if (!/^[a-z0-9_]+:[a-z0-9_.]+$/.test(id))
    throw new TandemError('bad_request', `asset "${text.slice(0, 90)}" is not of the form <chain>:<token>`)
  return id as AssetId
}
