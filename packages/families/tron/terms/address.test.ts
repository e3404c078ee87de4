/** Tests that Tron addresses equal those of TronWeb. */
import { createSecp256k1Key } from '@tandem/keys/secp256k1.ts'
import { TronWeb, utils } from 'tronweb'
import { generatePrivateKey } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { accountOf, fromEvmAddress, parseAddress, toEvmAddress } from './address.ts'

describe('a Tron address', () => {
  it('equals the one of TronWeb for the same key, in both forms', () => {
    const key = generatePrivateKey()
    const address = accountOf(createSecp256k1Key(key))
    expect(address).toBe(utils.address.fromPrivateKey(key.slice(2)))
    expect(`41${toEvmAddress(address).slice(2)}`).toBe(TronWeb.address.toHex(address).toLowerCase())
    expect(fromEvmAddress(toEvmAddress(address))).toBe(address)
    expect(parseAddress('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t')).toBe('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t')
  })

  it.each([
    ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T', /its checksum is wrong: at least one character is mistyped$/],
    ['tr7nhqjekqxgtci8q8zy4pl8otszgjlj6t', /expected base58/],
    ['0xa614f803b6fd780986a42c78ec9c7f77e6ded13c', /expected base58/],
    ['1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', /another network/],
    [fromEvmAddress('0x0000000000000000000000000000000000000000'), /zero address/],
    ['', /expected base58/],
  ])('is not %s', (text, reason) => {
    expect(() => parseAddress(text)).toThrow(reason)
  })
})
