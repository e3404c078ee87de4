import { expect, test } from 'vitest'
import { createStaticFeed } from './static-feed.ts'

const feed = createStaticFeed({ 'a:btc': 7n, 'a:free': 0n })

test('a fixed price is found; an asset without one, or with 0, is refused in words', () => {
  expect(feed.of('a:btc')).toBe(7n)
  expect(feed.find('a:free')).toBeNull()
  for (const asset of ['a:free', 'a:other', 'a:__proto__'] as const)
    expect(() => feed.of(asset)).toThrow(
      expect.objectContaining({ code: 'unsupported_pair', message: `there is no price for ${asset} here` }),
    )
})

test('fixed prices neither halt nor move', () => {
  expect(feed.haltOf('a:btc', 'a:other')).toBeNull()
  expect(feed.volatilityBips('a:btc', 'a:other', 3600)).toBe(0)
  expect(feed.view()).toEqual([{ market: 'a:btc', assets: ['a:btc'], price: 7n, problem: null, readings: [] }])
})
