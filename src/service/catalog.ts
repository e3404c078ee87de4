/** The chains and assets that can be swapped now, as integrators see them. */
import type { Chain } from '../protocol/chain.ts'
import { TandemError } from '../protocol/error.ts'
import type { ListedAsset } from '../protocol/registry/registry.ts'
import { type AssetRecord, assetToWire, type CatalogQuery } from '../protocol/wire/asset.ts'
import { type ChainRecord, chainToWire } from '../protocol/wire/chain.ts'
import type { ServiceContext } from './context.ts'
import { parseChains } from './orders/filters.ts'
import { parseAsset, parsePair } from './quotes/pair.ts'

/** `iconBase`: the URL of this service as the client reaches it. */
export function listAssets(context: ServiceContext, query: CatalogQuery, iconBase: string): AssetRecord[] {
  const { active } = query
  assertSource(context, query)
  return namedChains(context, query)
    .flatMap((chain) => assetsOf(context, chain, query, iconBase))
    .filter((record) => active === undefined || record.is_active === active)
}

export function listChains(context: ServiceContext, query: CatalogQuery, iconBase: string): ChainRecord[] {
  const { from, active } = query
  assertSource(context, query)
  return namedChains(context, query)
    .map((chain) =>
      chainToWire(chain, {
        icon: iconUrl(iconBase, chain.id),
        assets: assetsOf(context, chain, query, iconBase),
        solverKeys: context.solverKeys.of(chain.id),
      }),
    )
    .filter((record) => from === undefined || record.assets.length > 0)
    .filter((record) => active === undefined || record.is_active === active)
}

/** Refuses an unknown `from`, even if the filters leave no asset to list. */
function assertSource({ registry }: ServiceContext, { from }: CatalogQuery): void {
  if (from !== undefined) parseAsset(registry, from, 'from')
}

function namedChains({ registry }: ServiceContext, query: CatalogQuery): readonly Chain[] {
  const named = parseChains(registry, 'chain', query.chain)
  return named === null ? registry.chains : registry.chains.filter(({ id }) => named.includes(id))
}

function assetsOf(context: ServiceContext, chain: Chain, { from }: CatalogQuery, iconBase: string): AssetRecord[] {
  const { registry, prices } = context
  const reachable = context.chainHealthy(chain.id)
  return registry
    .assetsOf(chain.id)
    .filter((asset) => from === undefined || isSwappable(context, from, asset))
    .map((asset) =>
      assetToWire({
        asset,
        chainReference: chain.reference,
        price: prices.find(asset.id),
        icon: iconUrl(iconBase, asset.symbol.toLowerCase()),
        reachable,
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

function iconUrl(base: string, name: string): string {
  return `${base}/icons/${name}.svg`
}
