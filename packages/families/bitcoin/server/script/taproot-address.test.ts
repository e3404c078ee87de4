/** Tests the encoder of taproot addresses against a general one. */
import { bech32m } from '@scure/base'
import { expect, it } from 'vitest'
import { bitcoinNetworks } from '../../terms/networks.ts'
import { taprootAddressAt } from './taproot-address.ts'

const script = (key: Uint8Array) => Uint8Array.of(0x51, 0x20, ...key)

it('equals the result of a general encoder, for every network', () => {
  for (const network of Object.values(bitcoinNetworks)) {
    for (let n = 0; n < 64; n++) {
      const key = Uint8Array.from({ length: 32 }, (_, i) => (n === 0 ? 0 : n === 1 ? 0xff : (i * 37 + n * 101 + ((i * n) >> 2)) & 0xff))
      expect(taprootAddressAt(script(key), network)).toBe(bech32m.encode(network.bech32, [1, ...bech32m.toWords(key)]))
    }
  }
})

it('is encoded from a script inside of other bytes', () => {
  const network = { bech32: 'bc' }
  const key = new Uint8Array(32).fill(7)
  const block = Uint8Array.of(9, 9, 9, ...script(key), 9)
  expect(taprootAddressAt(block, network, 3, 34)).toBe(taprootAddressAt(script(key), network))
})

it.each([
  ['another version', Uint8Array.of(0x52, 0x20, ...new Uint8Array(32))],
  ['a shorter push', Uint8Array.of(0x51, 0x1f, ...new Uint8Array(32))],
  ['a byte less', Uint8Array.of(0x51, 0x20, ...new Uint8Array(31))],
  ['a byte more', Uint8Array.of(0x51, 0x20, ...new Uint8Array(33))],
])('is none for %s', (_, other) => {
  expect(taprootAddressAt(other, { bech32: 'bc' })).toBeNull()
})
