/** Tests which texts are an account or a transaction id. */
import { createEd25519Key } from '@tandem/keys/ed25519.ts'
import { createSecp256k1Key } from '@tandem/keys/secp256k1.ts'
import { expect, test } from 'vitest'
import { accountOf, parseAddress, textForms } from './address.ts'

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
/** The seed is that of RFC 8032, test 1. */
const SEED = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60'

test('the account of a key is its public key in base58; keys of other curves have none', () => {
  expect(accountOf(createEd25519Key(SEED))).toBe('FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z')
  expect(() => accountOf(createSecp256k1Key(SEED))).toThrow('expected a key on ed25519')
})

test.each([
  ['an address', USDC],
  ['one that begins with zero bytes', 'SysvarC1ock11111111111111111111111111111111'],
  ['one without a key, e.g. of a multisig', '5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1'],
])('%s is canonical as it is', (_, text) => {
  expect(parseAddress(text)).toBe(text)
  expect(textForms.comparable(text)).toBe(text)
})

test.each([
  ['other letters', `${USDC.slice(0, -1)}0`, 'expected base58'],
  ['spaces', ` ${USDC}`, 'expected base58'],
  ['another case', USDC.toLowerCase(), 'expected'],
  ['31 bytes', '1'.repeat(31), 'expected 32 bytes, got 31'],
  ['a zero byte too many', `1${USDC}`, 'expected 32 bytes, got 33'],
  ['a signature', '5'.repeat(88), 'expected 32 bytes, got 64'],
  ['far too much', 'z'.repeat(1_000_000), 'expected base58'],
  ['nothing', '', 'expected base58'],
  ['the zero address', '1'.repeat(32), 'is lost'],
])('%s is refused', (_, text, why) => {
  expect(() => parseAddress(text)).toThrow(expect.objectContaining({ code: 'invalid_address', message: expect.stringContaining(why) }))
})

test('a transaction is named by its signature of 64 bytes', () => {
  const signature = '1'.repeat(64)
  expect(textForms.parseTransactionId(signature)).toBe(signature)
  for (const text of [USDC, '1'.repeat(63), '1'.repeat(65), `0x${'00'.repeat(64)}`, ''])
    expect(() => textForms.parseTransactionId(text)).toThrow(expect.objectContaining({ code: 'bad_request' }))
  expect(textForms.comparable(signature)).toBeNull()
})
