/** GET /assets, and the assets inside GET /chains, show an asset in this form. */
import { type Static, Type } from 'typebox'
import { formatUsdPrice, type UsdPrice } from '../amount.ts'
import type { ListedAsset } from '../registry/registry.ts'
import { ValueList } from './value-list.ts'

/** The filters that GET /assets and GET /chains share. */
export const CatalogQuery = Type.Object({
  from: Type.Optional(Type.String({ description: 'an asset as <chain>:<token>: only what it can be swapped to is listed' })),
  chain: ValueList('a chain name as in asset ids'),
  active: Type.Optional(Type.Boolean({ description: 'true or false' })),
})
export type CatalogQuery = Static<typeof CatalogQuery>

const Contract = Type.Object(
  {
    address: Type.String({ description: 'empty on chains, and for coins, that have no contract' }),
    schema: Type.String({ description: 'a name of GET /schemas' }),
  },
  { title: 'Contract' },
)

export const AssetRecord = Type.Object(
  {
    id: Type.String({ description: '<chain>:<token>' }),
    name: Type.String({ description: '<full name>:<TICKER>' }),
    chain: Type.String({ description: 'the name of its chain' }),
    chain_id: Type.String({ description: "the chain's own identity, e.g. evm:1" }),
    icon: Type.String({ description: 'the URL of an image' }),
    htlc: Contract,
    token: Contract,
    decimals: Type.Integer({ description: 'the smallest unit is 10^-decimals of a whole coin' }),
    min_amount: Type.String({ description: 'in the smallest unit' }),
    max_amount: Type.String({ description: 'in the smallest unit' }),
    price: Type.Number({ description: 'US dollars per whole coin; 0 when there is none at the moment' }),
    fiat_value: Type.String({ description: 'the price as a decimal string' }),
    is_active: Type.Boolean({ description: 'it can be swapped here now' }),
    signature_offers: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'what users may sign to pay with it without gas and without an approval, the best first: authorization (EIP-3009), permit (EIP-2612), permit2 where the user has approved Permit2 once, or outside-execution-v2 and -v1 (SNIP-9) where the account of the user takes them. Found out by trial, so absent while it is not known, and for assets that take none',
      }),
    ),
  },
  { title: 'Asset' },
)
export type AssetRecord = Static<typeof AssetRecord>

export type AssetFacts = {
  readonly asset: ListedAsset
  readonly chainReference: string
  /** The price is null if the service has none: such an asset cannot be swapped. */
  readonly price: UsdPrice | null
  readonly icon: string
  readonly isOpen: boolean
  readonly signatureOffers: readonly string[]
}

export function assetToWire({ asset, chainReference, price, icon, isOpen, signatureOffers }: AssetFacts): AssetRecord {
  const dollars = formatUsdPrice(price ?? 0n)
  return {
    id: asset.id,
    name: `${asset.name}:${asset.symbol}`,
    chain: asset.chain,
    chain_id: chainReference,
    icon,
    htlc: { address: asset.deployment?.htlc ?? '', schema: asset.htlcSchema },
    token: { address: asset.deployment?.token ?? '', schema: asset.tokenSchema ?? '' },
    decimals: asset.decimals,
    min_amount: asset.minAmount.toString(),
    max_amount: asset.maxAmount.toString(),
    price: Number(dollars),
    fiat_value: dollars,
    is_active: isOpen && asset.deployment !== null && price !== null,
    ...(signatureOffers.length > 0 && { signature_offers: [...signatureOffers] }),
  }
}
