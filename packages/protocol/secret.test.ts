/** Tests the form of secrets and secret hashes. */
import { createHash } from 'node:crypto'
import { describe, expect, it, test } from 'vitest'
import { createSecret, hashSecret, isSecretFor, parseSecretHash } from './secret.ts'
import { assertStorable } from './stored-text.ts'

describe('a secret', () => {
  it('is 32 random bytes as lower-case hex', () => {
    const secrets = Array.from({ length: 20 }, createSecret)
    for (const secret of secrets) expect(secret).toMatch(/^[0-9a-f]{64}$/)
    expect(new Set(secrets).size).toBe(20)
  })

  it('is hashed as bytes with SHA-256', () => {
    const secret = '5e'.repeat(32)
    expect(hashSecret(secret)).toBe(createHash('sha256').update(Buffer.from(secret, 'hex')).digest('hex'))
    expect(hashSecret('00'.repeat(32))).toBe('66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925')
  })

  it('opens its own hash and no other', () => {
    const secret = createSecret()
    expect(isSecretFor(secret, hashSecret(secret))).toBe(true)
    expect(isSecretFor(createSecret(), hashSecret(secret))).toBe(false)
  })

  it.each([0, 31, 33, 64])('has 32 bytes: %s bytes are refused even if the hash matches', (size) => {
    const secret = 'ab'.repeat(size)
    const hash = createHash('sha256').update(Buffer.from(secret, 'hex')).digest('hex')
    expect(isSecretFor(secret, hash)).toBe(false)
  })

  it('is never upper case, prefixed or not hex', () => {
    const secret = 'ab'.repeat(32)
    const hash = hashSecret(secret)
    for (const text of [secret.toUpperCase(), `0x${secret}`, `${secret.slice(2)}zz`, `${secret}\n`])
      expect(isSecretFor(text, hash)).toBe(false)
  })
})

describe('parseSecretHash', () => {
  it('accepts a prefix and upper case', () => {
    const hash = hashSecret('5e'.repeat(32))
    expect(parseSecretHash(hash)).toBe(hash)
    expect(parseSecretHash(`0x${hash}`)).toBe(hash)
    expect(parseSecretHash(hash.toUpperCase())).toBe(hash)
  })

  it.each([
    ['zero', '00'.repeat(32)],
    ['the hash of 32 zero bytes', hashSecret('00'.repeat(32))],
    ['the same in upper case with a prefix', `0x${hashSecret('00'.repeat(32)).toUpperCase()}`],
    ['the hash of 32 bytes 0xff', hashSecret('ff'.repeat(32))],
  ])('refuses %s, which anyone could open', (_, hash) => {
    expect(() => parseSecretHash(hash)).toThrow('anyone would guess')
  })

  it.each(['', '0x', 'ab'.repeat(31), 'ab'.repeat(33), 'zz'.repeat(32), `${'ab'.repeat(32)}\n`, `0X${'ab'.repeat(32)}`])(
    'refuses "%s"',
    (text) => {
      expect(() => parseSecretHash(text)).toThrow(expect.objectContaining({ code: 'bad_request' }))
    },
  )
})

test('a text with NUL is refused wherever it is, and named', () => {
  expect(() => assertStorable([{ a: ['x', { b: 'y\0' }] }])).toThrow('a.1.b: a text must not contain NUL')
  expect(() => assertStorable([undefined, { '\0': 1 }])).toThrow('?: a text')
  expect(() => assertStorable(['\0'])).toThrow('the request: a text')
  assertStorable([null, undefined, 1, true, { a: ['', { b: 'é\ud800' }] }])
})
