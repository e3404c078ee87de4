/** Names the scopes of halts and caps: everything, a chain, a direction, a pair. */
import { type AssetId, parseAssetId } from '@tandem/protocol/asset.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'

export type Pair = `${AssetId}->${AssetId}`

export const EVERYTHING = '*'

export function pairOf(from: AssetId, to: AssetId): Pair {
  return `${from}->${to}`
}

/** A direction covers all pairs from a chain, or all pairs to it. */
export const fromChain = (chain: ChainId) => `${chain}->*`
export const toChain = (chain: ChainId) => `*->${chain}`

export function scopesOf(registry: Pick<Registry, 'asset'>, from: AssetId, to: AssetId): ReadonlySet<string> {
  const [source, destination] = [registry.asset(from).chain, registry.asset(to).chain]
  return new Set([EVERYTHING, source, destination, fromChain(source), toChain(destination), pairOf(from, to)])
}

/** Throws for a chain or an asset that the environment does not have. */
export function parseScope(registry: Pick<Registry, 'chain' | 'assets'>, text: string): string {
  if (text === EVERYTHING) return text
  const parts = text.split('->').map((part) => part.trim())
  if (parts.length === 1) return registry.chain(text).id
  const assets = parts.map(parseAssetId)
  const unknown = assets.find((id) => !registry.assets.some((asset) => asset.id === id))
  if (assets.length !== 2 || unknown !== undefined)
    throw new TandemError(
      'bad_request',
      `"${text}" is not a pair <asset>-><asset>${unknown === undefined ? '' : `: there is no ${unknown}`}`,
    )
  return assets.join('->')
}
