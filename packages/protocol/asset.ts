/** This file describes an asset as data, and the form of its id. */
import type { ChainId } from './chain-id.ts'
import { TandemError } from './error.ts'
import type { Icon } from './icon.ts'

/** The id is `<chain>:<token>` in lower case. */
export type AssetId = `${string}:${string}`

export type Asset = {
  readonly id: AssetId
  readonly chain: ChainId
  readonly name: string
  readonly symbol: string
  /** The asset has the US dollar price of this market, such as `BTC`. */
  readonly market: string
  readonly icon: Icon
  readonly decimals: number
  readonly minAmount: bigint
  readonly maxAmount: bigint
  readonly htlcSchema: string
  /** This is null for the chain's own coin. */
  readonly tokenSchema: string | null
  /** The token's issuer prints this public address. It is null for the chain's own coin, and if the address is not confirmed here. */
  readonly tokenAddress: string | null
  /** The tiers are ascending, the first from 0. Without them `requiredConfirmations` of the chain holds for every amount. */
  readonly confirmationTiers?: readonly ConfirmationTier[]
}

export type ConfirmationTier = { readonly from: bigint; readonly confirmations: number }

export type Deployment = {
  readonly htlc: string | null
  readonly token: string | null
}

export function parseAssetId(text: string): AssetId {
  const id = text.toLowerCase()
  if (!/^[a-z0-9_]+:[a-z0-9_.]+$/.test(id))
    throw new TandemError('bad_request', `asset "${text.slice(0, 90)}" is not of the form <chain>:<token>`)
  return id as AssetId
}
