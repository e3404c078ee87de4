/** Tests that every chain and coin has an icon of its own that is safe to show. */
import { environments } from '@tandem/families/registry.ts'
import { environmentNames } from '@tandem/protocol/registry/environment.ts'
import { describe, expect, it } from 'vitest'
import { drawings, NEUTRAL } from './drawings.ts'
import { chainIconName, renderIcon, renderIcons } from './render-icons.ts'

/** Throws unless the text is tags with quoted attributes, closed in the order they were opened, and plain words between them. */
function assertWellFormed(svg: string): void {
  const open: string[] = []
  const piece = /<(?<close>\/?)(?<tag>[a-z]+)(?: [a-zA-Z-]+="[^"<&]*")*(?<empty>\/?)>|[^<>&]+/gy
  let end = 0
  for (const match of svg.matchAll(piece)) {
    end = match.index + match[0].length
    const { close, tag, empty } = match.groups ?? {}
    if (tag === undefined || empty === '/') continue
    if (close === '') open.push(tag)
    else if (open.pop() !== tag) throw new Error(`</${tag}> closes something else`)
  }
  if (end !== svg.length || open.length > 0) throw new Error(`not well formed at ${end}`)
}

describe('the icons', () => {
  for (const name of environmentNames) {
    const { chains, assets } = environments[name]
    const icons = renderIcons({ chains, assets })

    it(`of ${name}: one for every chain and every symbol`, () => {
      expect([...icons.keys()].sort()).toEqual(
        [...new Set([...chains.map(({ id }) => chainIconName(id, assets)), ...assets.map(({ symbol }) => symbol.toLowerCase())])].sort(),
      )
      for (const asset of assets) expect(icons.get(asset.symbol.toLowerCase())).toBe(renderIcon(asset.icon, 'disc'))
      for (const { id, icon } of chains) expect(icons.get(chainIconName(id, assets))).toBe(renderIcon(icon, 'tile'))
    })

    it(`of ${name}: each is drawn, not written, and no two coins or two chains look the same`, () => {
      for (const { icon } of [...chains, ...assets]) expect([icon.text, drawings[icon.text]]).not.toContain(undefined)
      for (const svg of icons.values()) expect(svg).not.toContain('<text')
      const looksOf = (names: readonly string[]) => names.map((one) => icons.get(one)?.replace(/aria-label="[^"]*"/, ''))
      for (const names of [
        chains.map(({ id }) => chainIconName(id, assets)),
        [...new Set(assets.map(({ symbol }) => symbol.toLowerCase()))],
      ])
        expect(new Set(looksOf(names)).size).toBe(names.length)
    })

    it.each([...icons])(`of ${name}: %s is small, well-formed and loads nothing`, (_, svg) => {
      expect(() => assertWellFormed(svg)).not.toThrow()
      expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" /)
      expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/href|url\(|script|style|:\/\//)
      expect(Buffer.byteLength(svg)).toBeLessThan(1500)
    })
  }

  it('of a chain and of its coin differ, also if both have the same name', () => {
    const icons = renderIcons(environments.mainnet)
    expect(icons.get('sui')).toContain('<circle ')
    expect(icons.get('sui-chain')).toContain('<rect ')
    expect(icons.get('solana')).toContain('<rect ')
    expect(chainIconName('solana', environments.mainnet.assets)).toBe('solana')
  })
})

describe('renderIcon', () => {
  it('draws dark on a light background and light on a dark one', () => {
    expect(renderIcon({ text: 'A', color: '#ffee00' }, 'disc')).toContain('stroke="#000000"')
    expect(renderIcon({ text: 'A', color: '#001040' }, 'tile')).toContain('stroke="#ffffff"')
  })

  it('draws a plain coin for what has no drawing', () => {
    const plain = renderIcon({ text: 'ZZZ', color: '#001040' }, 'disc')
    expect(plain).toContain(NEUTRAL.line)
    expect(renderIcon({ text: 'BTC', color: '#001040' }, 'disc')).not.toContain(NEUTRAL.line)
  })

  it('draws a disc or a tile', () => {
    expect(renderIcon({ text: 'A', color: '#001040' }, 'disc')).toContain('<circle ')
    expect(renderIcon({ text: 'A', color: '#001040' }, 'tile')).toContain('<rect ')
  })

  it.each(['', 'ABCDE', 'A"', '<a>', 'é'])('refuses the text %j', (text) => {
    expect(() => renderIcon({ text, color: '#001040' }, 'disc')).toThrow('not a text for an icon')
  })

  it.each(['#fff', '#00104g', '#001040"'] as const)('refuses the colour %j', (color) => {
    expect(() => renderIcon({ text: 'A', color }, 'disc')).toThrow('not a colour for an icon')
  })
})

describe('the check for well-formed markup', () => {
  it.each(['<svg>', '<svg></a>', '<svg><a></svg></a>', '<svg a=b></svg>', '<svg>&</svg>', '<svg></svg', 'x>'])('refuses %s', (svg) => {
    expect(() => assertWellFormed(svg)).toThrow()
  })
})
