/** The icons of an environment by the name in their URL: a chain's id, or an asset's symbol in lower case. */
import type { Asset } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { renderIcon } from './render-icon.ts'

/** Name → SVG. One coin has one icon, whatever chain it is on. */
export function renderIcons(of: { readonly chains: readonly Chain[]; readonly assets: readonly Asset[] }): ReadonlyMap<string, string> {
  const icons = new Map(of.assets.map((asset) => [asset.symbol.toLowerCase(), renderIcon(asset.icon, 'disc')]))
  for (const { id, icon } of of.chains) {
    if (icons.has(id)) throw new Error(`both a chain and an asset would have the icon "${id}"`)
    icons.set(id, renderIcon(icon, 'tile'))
  }
  return icons
}
