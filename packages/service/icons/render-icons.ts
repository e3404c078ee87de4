/** The icons of an environment have the name of a chain, or an asset's symbol in lower case, as their name in the URL. */
import type { Asset } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Icon } from '@tandem/protocol/icon.ts'
import { type Drawing, drawings, NEUTRAL } from './drawings.ts'

/** The map leads from the name to the SVG. A coin has one icon on all chains. */
export function renderIcons(of: { readonly chains: readonly Chain[]; readonly assets: readonly Asset[] }): ReadonlyMap<string, string> {
  const icons = new Map(of.assets.map((asset) => [asset.symbol.toLowerCase(), renderIcon(asset.icon, 'disc')]))
  for (const { id, icon } of of.chains) icons.set(chainIconName(id, of.assets), renderIcon(icon, 'tile'))
  return icons
}

/** The name is the chain's id, or `<id>-chain` where a coin has that symbol. No id and no symbol has a hyphen. */
export function chainIconName(id: ChainId, assets: readonly Pick<Asset, 'symbol'>[]): string {
  return assets.some(({ symbol }) => symbol.toLowerCase() === id) ? `${id}-chain` : id
}

/** An asset is drawn on a disc, a chain on a tile. */
export function renderIcon({ text, color }: Icon, shape: 'disc' | 'tile'): string {
  // The text is checked here, because it goes into the SVG unescaped.
  if (!/^[A-Za-z0-9]{1,4}$/.test(text)) throw new Error(`"${text}" is not a text for an icon: expected 1 to 4 letters or digits`)
  if (!/^#[0-9a-f]{6}$/.test(color)) throw new Error(`"${color}" is not a colour for an icon: expected #rrggbb`)
  const background =
    shape === 'disc' ? `<circle cx="32" cy="32" r="32" fill="${color}"/>` : `<rect width="64" height="64" rx="14" fill="${color}"/>`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64" viewBox="0 0 64 64" role="img" aria-label="${text}">${background}` +
    `${inkedWith(inkOn(color), drawings[text] ?? NEUTRAL)}</svg>`
  )
}

function inkedWith(ink: string, { line, fill, frame }: Drawing): string {
  const strokes = (path: string | undefined, width: number) => (path === undefined ? '' : `<path d="${path}" stroke-width="${width}"/>`)
  const areas = fill === undefined ? '' : `<path d="${fill}" fill="${ink}" stroke="none"/>`
  const inside = `${areas}${strokes(line, frame === undefined ? 5 : 6)}`
  const placed = frame === undefined ? inside : `<g transform="translate(12.8 12.8) scale(.6)">${inside}</g>`
  return `<g fill="none" stroke="${ink}" stroke-linecap="round" stroke-linejoin="round">${strokes(frame, 4)}${placed}</g>`
}

/** The ink is black or white, whichever contrasts more (WCAG 2: relative luminance). */
function inkOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000000' : '#ffffff'
}
