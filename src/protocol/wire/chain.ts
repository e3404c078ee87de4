/** GET /chains: chains and their assets as clients see them. */
import { type Static, Type } from 'typebox'
import type { Chain } from '../chain.ts'
import { AssetRecord } from './asset.ts'

export const ChainRecord = Type.Object({
  id: Type.String({ description: "the chain's own identity, e.g. evm:1" }),
  chain: Type.String({ description: 'the name used in asset ids' }),
  name: Type.String(),
  display: Type.String({ description: 'the name for people' }),
  native_asset_id: Type.String(),
  icon: Type.String(),
  explorer_url: Type.String(),
  confirmation_target: Type.Integer({ description: 'confirmations that an initiation needs' }),
  source_timelock: Type.String({ description: "in the chain's own unit: blocks, slots, seconds or milliseconds" }),
  destination_timelock: Type.String({ description: 'in the same unit' }),
  timelock_unit: Type.String(),
  supported_htlc_schemas: Type.Array(Type.String()),
  supported_token_schemas: Type.Array(Type.String()),
  is_active: Type.Boolean({ description: 'one of its assets can be swapped here now' }),
  assets: Type.Array(AssetRecord),
})
export type ChainRecord = Static<typeof ChainRecord>

export function chainToWire(chain: Chain, icon: string, assets: AssetRecord[]): ChainRecord {
  return {
    id: chain.reference,
    chain: chain.id,
    name: chain.id,
    display: chain.displayName,
    native_asset_id: chain.nativeAsset,
    icon,
    explorer_url: chain.explorerUrl,
    confirmation_target: chain.requiredConfirmations,
    source_timelock: chain.timelocks.source.toString(),
    destination_timelock: chain.timelocks.destination.toString(),
    timelock_unit: chain.clock.unit,
    supported_htlc_schemas: [...chain.htlcSchemas],
    supported_token_schemas: [...chain.tokenSchemas],
    is_active: assets.some((asset) => asset.is_active),
    assets,
  }
}
