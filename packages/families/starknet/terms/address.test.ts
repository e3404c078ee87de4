/** Tests which texts are an address, and the account of a key. */
import { createSecp256k1Key } from '@tandem/keys/secp256k1.ts'
import { createStarkKey } from '@tandem/keys/stark.ts'
import { getChecksumAddress } from 'starknet'
import { expect, test } from 'vitest'
import { accountOf } from '../server/account.ts'
import { addressOfFelt, feltOf, parseAddress, textForms } from './address.ts'

/** STRK has this address on every network. */
const STRK = '0x04718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d'
/** Explorers show this form. */
const CHECKSUMMED = getChecksumAddress(STRK)
const BOUND = 2n ** 251n - 256n
const hex = (value: bigint) => `0x${value.toString(16)}`

test.each([
  ['padded', STRK],
  ['without its leading zero, as nodes write it', `0x${STRK.slice(3)}`],
  ['in upper case', `0x${STRK.slice(2).toUpperCase()}`],
  ['with its checksum', CHECKSUMMED],
  ['with its checksum, without its leading zero', `0x${CHECKSUMMED.slice(3)}`],
])('an address %s is the same address', (_, text) => {
  expect(parseAddress(text)).toBe(STRK)
  expect(textForms.parseIdentity(text)).toBe(STRK)
  expect(textForms.comparable(text)).toBe(STRK)
})

test('the smallest and the largest address', () => {
  expect(parseAddress(`0x${'2'.padStart(64, '0')}`)).toBe(`0x${'2'.padStart(64, '0')}`)
  expect(parseAddress(`0x${'2'.repeat(56)}`)).toBe(`0x${'2'.repeat(56).padStart(64, '0')}`)
  expect(parseAddress(hex(BOUND - 1n))).toBe(`0x0${hex(BOUND - 1n).slice(2)}`)
})

test.each([
  ['no 0x', STRK.slice(2), 'expected 0x'],
  ['other letters', `${STRK.slice(0, -1)}g`, 'expected 0x'],
  ['spaces', ` ${STRK}`, 'expected 0x'],
  ['a capital X', `0X${STRK.slice(2)}`, 'expected 0x'],
  ['no digits', '0x', 'expected 64 hex digits, got 0'],
  ['an address of an EVM chain', `0x${'5a'.repeat(20)}`, 'expected 64 hex digits, got 40'],
  ['55 digits', `0x${'2'.repeat(55)}`, 'expected 64 hex digits, got 55'],
  ['a digit too many', `0x0${STRK.slice(2)}`, 'got 65'],
  ['far too much', `0x${'1'.repeat(1_000_000)}`, 'got 1000000'],
  ['nothing', '', 'expected 0x'],
  ['the zero address', '0x0', 'is lost'],
  ['the zero address, padded', `0x${'0'.repeat(64)}`, 'is lost'],
  ['a reserved address', `0x${'1'.padStart(64, '0')}`, 'reserved'],
  ['the bound', hex(BOUND), 'not below 2^251 - 256'],
  ['32 bytes', `0x${'ff'.repeat(32)}`, 'not below 2^251 - 256'],
  ['a wrong checksum', CHECKSUMMED.replace('F', 'f').replace('c', 'C'), 'checksum is wrong'],
])('%s is refused', (_, text, why) => {
  expect(() => parseAddress(text)).toThrow(expect.objectContaining({ code: 'invalid_address', message: expect.stringContaining(why) }))
})

test('a felt has no leading zeros, an address has all of them', () => {
  expect(feltOf(STRK)).toBe(`0x${STRK.slice(3)}`)
  expect(addressOfFelt(feltOf(STRK))).toBe(STRK)
})

test('the account of a key depends on the key and on the class; keys of other curves have none', () => {
  const key = createStarkKey('02dccce1da22003777062ee0870e9881b460a8b7eca276870f57c601f182136c')
  const accountClass = '0x2794ce20e5f2ff0d40e632cb53845b9f4e526ebd8471983f7dbd355b721d5a'
  const account = '0x0026528fde336e5d248ea97d4a904cead4be82f789c0d603695789f175168fbe'
  for (const _ of ['computed', 'remembered']) expect(accountOf(key, accountClass)).toBe(account)
  expect(accountOf(key, '0x1234')).not.toBe(account)
  const other = createStarkKey('01'.repeat(32))
  expect(accountOf(other, accountClass)).not.toBe(account)
  expect(() => accountOf(createSecp256k1Key('11'.repeat(32)), accountClass)).toThrow('expected a key on stark')
})

test('a transaction is named without leading zeros', () => {
  for (const text of [STRK, STRK.slice(2), STRK.toUpperCase().replace('X', 'x'), feltOf(STRK)])
    expect(textForms.parseTransactionId(text)).toBe(feltOf(STRK))
  for (const text of ['', '0x', '0x0', `0x${'ff'.repeat(32)}`, `${STRK}0`, `${STRK}:7`])
    expect(() => textForms.parseTransactionId(text)).toThrow(expect.objectContaining({ code: 'bad_request' }))
})

test('a swap id is compared in lower case and without leading zeros; a short text is none', () => {
  for (const text of ['AB'.repeat(31), 'ab'.repeat(31), `00${'ab'.repeat(31)}`]) expect(textForms.comparable(text)).toBe('ab'.repeat(31))
  for (const text of ['abc', 'bcrt1qw508d6', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', '']) expect(textForms.comparable(text)).toBeNull()
})
