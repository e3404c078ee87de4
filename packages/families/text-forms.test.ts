/** These tests check how each family parses different spellings of the same address or hash. */

import { textFormsOf } from '@tandem/bitcoin/server/index.ts'
import { networkOf } from '@tandem/bitcoin/terms/networks.ts'
import { textForms as evm } from '@tandem/evm/terms/address.ts'
import { textForms as tron } from '@tandem/tron/terms/address.ts'
import { describe, expect, test } from 'vitest'

const HASH = 'ab'.repeat(32)
const bitcoin = textFormsOf(networkOf('bitcoin:regtest'))

describe('a transaction', () => {
  test.each([HASH, HASH.toUpperCase(), `0x${HASH}`])('%s is read as its family records it', (text) => {
    expect(evm.parseTransactionId(text)).toBe(`0x${HASH}`)
    expect(tron.parseTransactionId(text)).toBe(HASH)
    expect(bitcoin.parseTransactionId(text)).toBe(HASH)
  })

  test('of Bitcoin may be followed by its height, as clients are shown it', () => {
    expect(bitcoin.parseTransactionId(`${HASH}:101`)).toBe(HASH)
    expect(bitcoin.formatInitiation(HASH, 101n)).toBe(`${HASH}:101`)
    expect(bitcoin.formatInitiation(HASH, null)).toBe(`${HASH}:0`)
    for (const { formatInitiation } of [evm, tron]) expect(formatInitiation(HASH, 101n)).toBe(HASH)
    for (const { parseTransactionId } of [evm, tron]) expect(() => parseTransactionId(`${HASH}:101`)).toThrow('expected 64 hex digits')
  })
})

describe('an address', () => {
  test('in hex is the same in either case; in base58 it is not', () => {
    const account = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
    expect(evm.comparable(account)).toBe(account.toLowerCase())
    expect(tron.comparable('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t')).toBe('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t')
    expect(tron.comparable('tr7nhqjekqxgtci8q8zy4pl8otszgjlj6t')).toBeNull()
    expect(bitcoin.comparable('mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn')).toBe('mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn')
  })

  test('in bech32 is the same in upper and in lower case, and none in both (BIP173)', () => {
    expect(bitcoin.comparable('BCRT1QW508D6')).toBe('bcrt1qw508d6')
    expect(bitcoin.comparable('Bcrt1Qw508D6!')).toBeNull()
  })

  test('of one family means nothing to another', () => {
    expect(evm.comparable('bcrt1qw508d6')).toBeNull()
    expect(bitcoin.comparable('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')).toBeNull()
    expect(() => evm.parseIdentity(HASH)).toThrow('is not an EVM address')
    expect(() => bitcoin.parseIdentity('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')).toThrow('is not a party of a Bitcoin HTLC')
  })
})
