/** Tests which texts are an address or the type of a coin. */
import { Ed25519PublicKey } from '@mysten/sui/keypairs/ed25519'
import { createEd25519Key } from '@tandem/keys/ed25519.ts'
import { describe, expect, test } from 'vitest'
import { accountOf, paddedAddress, parseAddress, textForms } from './address.ts'
import { parseCoinType, SUI_TYPE } from './coin-type.ts'

const full = `0x${'0a'.repeat(32)}`

describe('an address', () => {
  test('has all digits, and is the same in either case; nodes may leave out leading zeros', () => {
    expect(paddedAddress('0x2')).toBe(`0x${'2'.padStart(64, '0')}`)
    expect(() => paddedAddress('2')).toThrow('expected 0x')
    expect(parseAddress(full.toUpperCase().replace('0X', '0x'))).toBe(full)
    expect(textForms.comparable('0xA')).toBe(`0x${'a'.padStart(64, '0')}`)
    expect(textForms.comparable('0xA::usdc::USDC')).toBe(parseCoinType('0xa::usdc::USDC'))
    expect(textForms.comparable('AB'.repeat(32))).toBe('ab'.repeat(32))
    for (const text of [`${full}0`, 'ab', '0x', '0xg', '0x2::sui']) expect(textForms.comparable(text), text).toBeNull()
  })

  test.each([
    ['0x', /64 hex digits, got 0/],
    ['0x2', /64 hex digits, got 1/],
    [`0x${'5a'.repeat(20)}`, /64 hex digits, got 40/],
    [`0x${'aB'.repeat(32)}`, /checksum/],
    [`${full}0`, /got 65/],
    [full.slice(2), /expected 0x/],
    ['0xg', /expected 0x/],
    [`0x${'0'.repeat(64)}`, /zero address/],
  ])('%s is refused by name', (text, reason) => {
    expect(() => parseAddress(text)).toThrow(expect.objectContaining({ code: 'invalid_address', message: expect.stringMatching(reason) }))
  })

  test('of a key is the one that wallets derive', () => {
    const key = createEd25519Key('11'.repeat(32))
    expect(accountOf(key)).toBe(new Ed25519PublicKey(key.publicKey).toSuiAddress())
  })
})

describe('the type of a coin', () => {
  test('has one canonical form', () => {
    expect(parseCoinType('0x2::sui::SUI')).toBe(SUI_TYPE)
    expect(parseCoinType('0xAb::usdc::USDC')).toBe(`0x${'ab'.padStart(64, '0')}::usdc::USDC`)
  })

  test.each(['0x2::sui', 'sui', '0xg::a::B', `0x${'1'.repeat(65)}::a::B`, '0x2::a::B::C', '0x2::a::B<0x2::sui::SUI>', ''])(
    '"%s" is refused',
    (text) => {
      expect(() => parseCoinType(text)).toThrow(expect.objectContaining({ code: 'invalid_address' }))
    },
  )
})
