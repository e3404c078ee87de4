/** GET /chains shows chains and their assets in this form. */
import { type Static, Type } from 'typebox'
import { formatUnits } from '../amount.ts'
import type { Asset } from '../asset.ts'
import type { Chain } from '../chain.ts'
import { explorerTxUrl } from '../explorer.ts'
import { AssetRecord } from './asset.ts'

export const ChainRecord = Type.Object(
  {
    id: Type.String({ description: "the chain's own identity, e.g. evm:1" }),
    chain: Type.String({ description: 'the name used in asset ids' }),
    name: Type.String({ description: 'the same as `chain`' }),
    display: Type.String({ description: 'the name for people' }),
    native_asset_id: Type.String({ description: 'the coin that pays its fees' }),
    icon: Type.String({ description: 'the URL of an image' }),
    explorer_url: Type.String({ description: 'a block explorer; empty if there is none' }),
    explorer_tx_url: Type.String({
      description: 'its page of a transaction, with `{tx}` in the place of the hash; empty if there is none',
    }),
    confirmation_target: Type.Integer({ description: 'confirmations that an initiation needs' }),
    source_timelock: Type.String({ description: "in the chain's own unit: blocks, slots, seconds or milliseconds" }),
    destination_timelock: Type.String({ description: 'in the same unit' }),
    timelock_unit: Type.String({ description: 'blocks, slots, seconds or milliseconds' }),
    supported_htlc_schemas: Type.Array(Type.String(), { description: 'names of GET /schemas' }),
    supported_token_schemas: Type.Array(Type.String(), { description: 'names of GET /schemas' }),
    solver_keys: Type.Array(Type.String(), {
      description:
        'public keys of the solvers of this service in HTLCs of this chain, former ones too; empty where parties are accounts. With them a rescue phrase finds deposits without the service',
    }),
    takes_deposits: Type.Boolean({
      description:
        'an order from this chain can be paid at an address, from anywhere: always where the HTLC is one, else with `deposit` of POST /orders',
    }),
    destination_gas: Type.Optional(
      Type.Object(
        {
          amount: Type.String({ description: 'in the smallest unit' }),
          display: Type.String({ description: 'the amount in whole coins' }),
        },
        { description: 'a payout of a token here can also give this much of `native_asset_id`: see `destination_gas` of GET /quote' },
      ),
    ),
    is_active: Type.Boolean({ description: 'one of its assets can be swapped here now' }),
    assets: Type.Array(AssetRecord, { description: 'those that pass the filters' }),
  },
  { title: 'Chain' },
)
export type ChainRecord = Static<typeof ChainRecord>

type Listed = {
  readonly icon: string
  readonly assets: AssetRecord[]
  readonly solverKeys: readonly string[]
  readonly takesDeposits: boolean
  /** What a payout may also give of the native asset. Null where that is not offered. */
  readonly gas: { readonly coin: Pick<Asset, 'decimals'>; readonly amount: bigint } | null
}

export function chainToWire(chain: Chain, { icon, assets, solverKeys, takesDeposits, gas }: Listed): ChainRecord {
  return {
    id: chain.reference,
    chain: chain.id,
    name: chain.id,
    display: chain.displayName,
    native_asset_id: chain.nativeAsset,
    icon,
    explorer_url: chain.explorerUrl,
    explorer_tx_url: explorerTxUrl(chain),
    confirmation_target: chain.requiredConfirmations,
    source_timelock: chain.timelocks.source.toString(),
    destination_timelock: chain.timelocks.destination.toString(),
    timelock_unit: chain.clock.unit,
    supported_htlc_schemas: [...chain.htlcSchemas],
    supported_token_schemas: [...chain.tokenSchemas],
    solver_keys: [...solverKeys],
    takes_deposits: takesDeposits,
    ...(gas !== null && { destination_gas: { amount: gas.amount.toString(), display: formatUnits(gas.amount, gas.coin.decimals) } }),
    is_active: assets.some((asset) => asset.is_active),
    assets,
  }
}
