/** Tests which keys of a user are accepted, and their addresses. */
import { p2tr } from '@scure/btc-signer'
import { expect, test } from 'vitest'
import { bitcoinNetworks, networkOf } from '../networks.ts'
import { parseUserKey } from './user-key.ts'

const mainnet = networkOf('bitcoin:mainnet')
/** These are the first receiving key of BIP86's test vectors, and its address. */
const KEY = 'cc8a4bc64d897bddc5fbc2f670f7a8ba0b386779106cf1223c6fc5d7cd6fc115'
const ADDRESS = 'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr'

test('BIP86: the address of a key is that of its key path, without scripts', () => {
  expect(parseUserKey(KEY, mainnet)).toEqual({ identity: KEY, address: ADDRESS })
})

test('capitals are the same key', () => {
  expect(parseUserKey(KEY.toUpperCase(), mainnet)).toEqual({ identity: KEY, address: ADDRESS })
})

test.each(Object.keys(bitcoinNetworks))('%s has an address of its own for it', (reference) => {
  const network = networkOf(reference)
  expect(parseUserKey(KEY, network)).toEqual({
    identity: KEY,
    address: p2tr(Uint8Array.from(Buffer.from(KEY, 'hex')), undefined, network).address,
  })
})

test.each(['', 'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr', KEY.slice(1), `${KEY} `, `${KEY.slice(0, -1)}g`, '0xabc'])(
  '"%s" is not a key',
  (text) => {
    expect(parseUserKey(text, mainnet)).toBe(null)
  },
)

test.each([
  ['33 bytes', `02${KEY}`, /remove its first byte \(02 or 03\); expected an x-only public key/],
  ['33 bytes in capitals', `03${KEY}`.toUpperCase(), /remove its first byte/],
  ['65 hex characters', `${KEY}0`, /it has 65 hex characters/],
  ['65 bytes', `04${KEY}${KEY.slice(0, 60)}`, /it has 126 hex characters/],
  ['a prefix', `0x${KEY}`, /remove the 0x/],
  ['no point on the curve', 'f'.repeat(64), /no point with this x/],
  ['zero', '0'.repeat(64), /no point with this x/],
  ['x = 5, which is on the twist', '5'.padStart(64, '0'), /no point with this x/],
])('a key that cannot be used: %s', (_name, text, words) => {
  expect(() => parseUserKey(text, mainnet)).toThrow(
    expect.objectContaining({ code: 'invalid_address', message: expect.stringMatching(words) }),
  )
})
