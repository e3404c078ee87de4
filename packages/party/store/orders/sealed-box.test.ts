/** Tests that a sealed value opens only with the private key, for its context, unchanged; that it has the form that another implementation reads. */
import { webcrypto } from 'node:crypto'
import { x25519 } from '@noble/curves/ed25519.js'
import { expand, hkdf } from '@noble/hashes/hkdf.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { describe, expect, test } from 'vitest'
import { createOpen, createSeal, createSealingPair, VALUES_PER_KEY } from './sealed-box.ts'

const pair = createSealingPair(Buffer.alloc(32, 7))
const open = createOpen(pair)
const SECRET = '5e'.repeat(32)
const CONTEXT = `${'ab'.repeat(32)} secret`
const DOES_NOT_OPEN = 'a sealed value does not open'
const OTHER_FORM = 'a sealed value has a form that this version does not read'

const EPHEMERAL = { from: 1, to: 33 }
const POSITION = 33

describe('a sealed value', () => {
  test('opens, whatever its length and characters, and wherever it is in the chain of keys', () => {
    const seal = createSeal(pair.publicKey)
    const values = [
      '',
      'x',
      SECRET,
      'ключ 🔑',
      'long '.repeat(1000),
      ...Array.from({ length: 3 * VALUES_PER_KEY }, (_, at) => `value ${at}`),
    ]
    const sealed = values.map((value) => seal(CONTEXT, value))
    // They open in any sequence.
    expect(sealed.toReversed().map((one) => open(CONTEXT, one))).toEqual(values.toReversed())
    expect(new Set(sealed.map((one) => one[POSITION]))).toEqual(new Set(Array.from({ length: VALUES_PER_KEY }, (_, at) => at)))
  })

  test('begins with its version and shows nothing of the value', () => {
    const sealed = createSeal(pair.publicKey)(CONTEXT, SECRET)
    expect(sealed[0]).toBe(1)
    expect(sealed.includes(SECRET)).toBe(false)
    expect(sealed.includes(Buffer.from(SECRET, 'hex'))).toBe(false)
    expect(sealed).toHaveLength(1 + 32 + 1 + SECRET.length + 16)
  })

  test('shares its ephemeral key with few others, and no two are equal', () => {
    const seal = createSeal(pair.publicKey)
    const sealed = Array.from({ length: 4 * VALUES_PER_KEY }, () => seal(CONTEXT, SECRET))
    expect(new Set(sealed.map((one) => one.toString('hex', EPHEMERAL.from, EPHEMERAL.to))).size).toBe(4)
    expect(new Set(sealed.map((one) => one.toString('hex', POSITION + 1))).size).toBe(sealed.length)
    const [one, other] = [createSeal(pair.publicKey)(CONTEXT, SECRET), createSeal(pair.publicKey)(CONTEXT, SECRET)]
    expect(one.subarray(EPHEMERAL.from, EPHEMERAL.to)).not.toEqual(other.subarray(EPHEMERAL.from, EPHEMERAL.to))
  })

  test('does not open with any of its bits changed', () => {
    const seal = createSeal(pair.publicKey)
    seal(CONTEXT, 'the first of the chain')
    const sealed = seal(CONTEXT, SECRET)
    expect(open(CONTEXT, sealed)).toBe(SECRET)
    for (let at = 0; at < sealed.length; at += 1)
      for (let bit = 0; bit < 8; bit += 1) {
        const changed = Buffer.from(sealed)
        changed.writeUInt8(changed.readUInt8(at) ^ (1 << bit), at)
        expect(() => open(CONTEXT, changed), `byte ${at}, bit ${bit}`).toThrow(/^a sealed value (does not open|has a form)/)
      }
  })

  test('does not open truncated or extended', () => {
    const sealed = createSeal(pair.publicKey)(CONTEXT, SECRET)
    for (let length = 0; length < sealed.length; length += 1)
      expect(() => open(CONTEXT, sealed.subarray(0, length)), `${length} bytes`).toThrow(/^a sealed value (does not open|has a form)/)
    expect(() => open(CONTEXT, Buffer.concat([sealed, Buffer.of(0)]))).toThrow(DOES_NOT_OPEN)
    expect(() => open(CONTEXT, Buffer.concat([Buffer.of(0), sealed]))).toThrow(OTHER_FORM)
  })

  test.each([
    ['another order', `${'ac'.repeat(32)} secret`],
    ['another purpose', `${'ab'.repeat(32)} source-key`],
    ['a longer context', `${CONTEXT} `],
    ['no context', ''],
  ])('does not open for %s', (_, context) => {
    const sealed = createSeal(pair.publicKey)(CONTEXT, SECRET)
    expect(() => open(context, sealed)).toThrow(DOES_NOT_OPEN)
  })

  test('does not open with another private key, nor with the ephemeral key of another value', () => {
    const other = createSealingPair(Buffer.alloc(32, 8))
    const sealed = createSeal(pair.publicKey)(CONTEXT, SECRET)
    expect(() => createOpen(other)(CONTEXT, sealed)).toThrow(DOES_NOT_OPEN)
    const foreign = Buffer.from(sealed)
    createSeal(pair.publicKey)(CONTEXT, SECRET).copy(foreign, EPHEMERAL.from, EPHEMERAL.from, EPHEMERAL.to)
    expect(() => open(CONTEXT, foreign)).toThrow(DOES_NOT_OPEN)
    foreign.fill(0, EPHEMERAL.from, EPHEMERAL.to)
    expect(() => open(CONTEXT, foreign)).toThrow(DOES_NOT_OPEN)
  })

  test('is bound to the public key that it was sealed to: two keys never give one value', () => {
    const mixed = createOpen({ privateKey: pair.privateKey, publicKey: createSealingPair(Buffer.alloc(32, 8)).publicKey })
    const sealed = createSeal(pair.publicKey)(CONTEXT, SECRET)
    expect(() => mixed(CONTEXT, sealed)).toThrow(DOES_NOT_OPEN)
  })

  test('of another version says so', () => {
    const sealed = createSeal(pair.publicKey)(CONTEXT, SECRET)
    sealed.writeUInt8(2, 0)
    expect(() => open(CONTEXT, sealed)).toThrow(OTHER_FORM)
    // The nonce, the encrypted value and the tag of the former form.
    expect(() => open(CONTEXT, Buffer.alloc(12 + SECRET.length + 16))).toThrow(OTHER_FORM)
  })
})

test('a public key of low order is refused when something is sealed to it', () => {
  expect(() => createSeal('00'.repeat(32))(CONTEXT, SECRET)).toThrow()
})

/** The same form, read by another implementation of X25519, HKDF and AES-GCM. */
async function openElsewhere(privateKey: Buffer, context: string, sealed: Buffer): Promise<string> {
  const recipient = x25519.getPublicKey(privateKey)
  const ephemeral = sealed.subarray(EPHEMERAL.from, EPHEMERAL.to)
  const label = Buffer.from('tandem sealed value')
  let chain = hkdf(sha256, x25519.getSharedSecret(privateKey, ephemeral), undefined, label, 32)
  const position = sealed.readUInt8(POSITION)
  for (let at = 0; at < position; at += 1) chain = expand(sha256, chain, Buffer.from('next'), 32)
  const bound = Buffer.concat([label, sealed.subarray(0, POSITION + 1), recipient, Buffer.from(context)])
  const key = expand(sha256, chain, Buffer.concat([Buffer.from('value '), bound]), 32)
  const imported = await webcrypto.subtle.importKey('raw', Uint8Array.from(key), 'AES-GCM', false, ['decrypt'])
  const iv = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, position)
  const body = Uint8Array.from(sealed.subarray(POSITION + 1))
  return Buffer.from(
    await webcrypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData: Uint8Array.from(bound) }, imported, body),
  ).toString()
}

test('another implementation opens it', async () => {
  const seal = createSeal(pair.publicKey)
  for (let at = 0; at < 3; at += 1)
    expect(await openElsewhere(Buffer.alloc(32, 7), CONTEXT, seal(CONTEXT, `value ${at}`))).toBe(`value ${at}`)
})
