/** GET /chains: chains and their assets as clients see them. */
import { type Static, Type } from 'typebox'
import { formatUsdPrice, type UsdPrice } from '../amount.ts'
import type { Chain } from '../chain.ts'
import type { ListedAsset } from '../registry/registry.ts'

export const ChainsQuery = Type.Object({
  /** Narrows to what this asset can be swapped to. */
  from: Type.Optional(Type.String({ description: 'an asset as <chain>:<token>' })),
  chain: Type.Optional(Type.String({ description: 'a chain name as in asset ids' })),
  active: Type.Optional(Type.Boolean({ description: 'true or false' })),
})
export type ChainsQuery = Static<typeof ChainsQuery>

/** `address` is empty on chains, and for coins, that have no contract. */
const Contract = Type.Object({ address: Type.String(), schema: Type.String() })

const AssetRecord = Type.Object({
  id: Type.String(),
  name: Type.String(),
  chain: Type.String(),
  icon: Type.String(),
  htlc: Contract,
  token: Contract,
  decimals: Type.Integer(),
  min_amount: Type.String(),
  max_amount: Type.String(),
  price: Type.Number(),
  is_active: Type.Boolean(),
})

export const ChainRecord = Type.Object({
  id: Type.String(),
  chain: Type.String(),
  name: Type.String(),
  display: Type.String(),
  native_asset_id: Type.String(),
  icon: Type.String(),
  explorer_url: Type.String(),
  confirmation_target: Type.Integer(),
  source_timelock: Type.String(),
  destination_timelock: Type.String(),
  supported_htlc_schemas: Type.Array(Type.String()),
  supported_token_schemas: Type.Array(Type.String()),
  is_active: Type.Boolean(),
  assets: Type.Array(AssetRecord),
})
export type ChainRecord = Static<typeof ChainRecord>

/** `price` is null when the service has none: such an asset cannot be swapped. */
export type PricedAsset = { readonly asset: ListedAsset; readonly price: UsdPrice | null }

export function chainToWire(chain: Chain, assets: readonly PricedAsset[], reachable: boolean): ChainRecord {
  const records = assets.map((asset) => assetToWire(asset, reachable))
  return {
    id: chain.reference,
    chain: chain.id,
    name: chain.id,
    display: chain.displayName,
    native_asset_id: chain.nativeAsset,
    icon: '',
    explorer_url: chain.explorerUrl,
    confirmation_target: chain.requiredConfirmations,
    source_timelock: chain.timelocks.source.toString(),
    destination_timelock: chain.timelocks.destination.toString(),
    supported_htlc_schemas: [...chain.htlcSchemas],
    supported_token_schemas: [...chain.tokenSchemas],
    is_active: records.some((record) => record.is_active),
    assets: records,
  }
}

function assetToWire({ asset, price }: PricedAsset, reachable: boolean): Static<typeof AssetRecord> {
  return {
    id: asset.id,
    name: `${asset.name}:${asset.symbol}`,
    chain: asset.chain,
    icon: '',
    htlc: { address: asset.deployment?.htlc ?? '', schema: asset.htlcSchema },
    token: { address: asset.deployment?.token ?? '', schema: asset.tokenSchema ?? '' },
    decimals: asset.decimals,
    min_amount: asset.minAmount.toString(),
    max_amount: asset.maxAmount.toString(),
    price: price === null ? 0 : Number(formatUsdPrice(price)),
    is_active: reachable && asset.deployment !== null && price !== null,
  }
}
