/** GET /chains. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { TandemError } from '../../../protocol/error.ts'
import type { ListedAsset, Registry } from '../../../protocol/registry/registry.ts'
import { ChainRecord, ChainsQuery, chainToWire } from '../../../protocol/wire/chain.ts'
import { Envelope, success } from '../../../protocol/wire/envelope.ts'
import type { ServiceContext } from '../../context.ts'
import { parsePair } from '../../quotes/pair.ts'

export function chainsRoutes(context: ServiceContext): FastifyPluginAsyncTypebox {
  return async (api) => {
    api.get('/chains', { schema: { querystring: ChainsQuery, response: { 200: Envelope(Type.Array(ChainRecord)) } } }, async (request) =>
      success(listChains(context, request.query)),
    )
  }
}

function listChains({ registry, prices, chainHealthy }: ServiceContext, query: ChainsQuery): ChainRecord[] {
  const { from, active } = query
  const name = query.chain?.toLowerCase()
  const listed = (asset: ListedAsset) => from === undefined || isSwappable(registry, registry.asset(from).id, asset.id)
  return registry.chains
    .filter((chain) => name === undefined || chain.id === name)
    .map((chain) => {
      const assets = registry.assetsOf(chain.id).filter(listed)
      return chainToWire(
        chain,
        assets.map((asset) => ({ asset, price: prices.find(asset.id) })),
        chainHealthy(chain.id),
      )
    })
    .filter((record) => from === undefined || record.assets.length > 0)
    .filter((record) => active === undefined || record.is_active === active)
}

function isSwappable(registry: Registry, from: string, to: string): boolean {
  try {
    parsePair(registry, from, to)
    return true
  } catch (error) {
    if (error instanceof TandemError && error.code === 'unsupported_pair') return false
    throw error
  }
}
