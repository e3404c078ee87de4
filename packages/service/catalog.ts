/** The catalog lists the chains and assets that can be swapped now, as integrators see them. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { Halt } from '@tandem/party/store/solver/halts.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { ListedAsset } from '@tandem/protocol/registry/registry.ts'
import { type AssetRecord, assetToWire, type CatalogQuery } from '@tandem/protocol/wire/asset.ts'
import { type ChainRecord, chainToWire } from '@tandem/protocol/wire/chain.ts'
import type { ServiceContext } from './context.ts'
import { gasOffered } from './destination-gas/destination-gas.ts'
import { chainIconName } from './icons/render-icons.ts'
import { haltOf } from './operator/halts.ts'
import { parseChains } from './orders/filters.ts'
import { parseAsset, parsePair } from './quotes/pair.ts'

/** `iconBase` is the URL of this service as the client reaches it. */
export async function listAssets(context: ServiceContext, query: CatalogQuery, iconBase: string): Promise<AssetRecord[]> {
  const { active } = query
  assertSource(context, query)
  const halts = await context.operatorHalts.list()
  return namedChains(context, query)
    .flatMap((chain) => assetsOf(context, chain, query, iconBase, halts))
    .filter((record) => active === undefined || record.is_active === active)
}

export async function listChains(context: ServiceContext, query: CatalogQuery, iconBase: string): Promise<ChainRecord[]> {
  const { from, active } = query
  assertSource(context, query)
  const halts = await context.operatorHalts.list()
  return namedChains(context, query)
    .map((chain) =>
      chainToWire(chain, {
        icon: iconUrl(iconBase, chainIconName(chain.id, context.registry.assets)),
        assets: assetsOf(context, chain, query, iconBase, halts),
        solverKeys: context.solverKeys.of(chain.id),
        takesDeposits: takesDeposits(context.clients.get(chain.id)),
        gas: gasOffered(context, chain.id),
      }),
    )
    .filter((record) => from === undefined || record.assets.length > 0)
    .filter((record) => active === undefined || record.is_active === active)
}

/** An unknown `from` is refused even if the filters leave no asset to list. */
function assertSource({ registry }: ServiceContext, { from }: CatalogQuery): void {
  if (from !== undefined) parseAsset(registry, from, 'from')
}

function namedChains({ registry }: ServiceContext, query: CatalogQuery): readonly Chain[] {
  const named = parseChains(registry, 'chain', query.chain)
  return named === null ? registry.chains : registry.chains.filter(({ id }) => named.includes(id))
}

function assetsOf(context: ServiceContext, chain: Chain, { from }: CatalogQuery, iconBase: string, halts: readonly Halt[]): AssetRecord[] {
  const { registry, prices } = context
  const isOpen = context.chainHealthy(chain.id) && haltOf(halts, chain.id) === undefined
  return registry
    .assetsOf(chain.id)
    .filter((asset) => from === undefined || isSwappable(context, from, asset))
    .map((asset) =>
      assetToWire({
        asset,
        chainReference: chain.reference,
        price: prices.find(asset.id),
        icon: iconUrl(iconBase, asset.symbol.toLowerCase()),
        isOpen,
        signatureOffers: context.signatureOffers.of(asset),
      }),
    )
}

function isSwappable(context: ServiceContext, from: string, to: ListedAsset): boolean {
  try {
    parsePair(context, from, to.id)
    return true
  } catch (error) {
    if (error instanceof TandemError && error.code === 'unsupported_pair') return false
    throw error
  }
}

/** A registry may list chains to which this service has no connection. */
export function takesDeposits(client: ChainClient | undefined): boolean {
  const { prefund, orderKeys } = client ?? {}
  return (prefund?.addressOf !== undefined && prefund.isProven?.() !== false) || orderKeys !== undefined
}

function iconUrl(base: string, name: string): string {
  return `${base}/icons/${name}.svg`
}
