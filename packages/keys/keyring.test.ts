/** Tests the keys of each curve: they sign for a stated purpose only and do not expose their private part. */
import { ed25519 } from '@noble/curves/ed25519.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { createEd25519Key } from './ed25519.ts'
import { type Curve, type Key, onCurve } from './key.ts'
import { createKey, createKeyring, createOrderKey, curves, randomPrivateKey } from './keyring.ts'
import { rawSignerOf, testPurpose, testSigning, withRecordedPurposes } from './keys.fixture.ts'
import type { SigningRequest } from './permit.ts'
import { parsePublicKey } from './public-key.ts'
import type { Purpose } from './purpose.ts'
import { createStarkKey, isStarkSignature, randomStarkPrivateKey } from './stark.ts'

const on = (id: string, curve: Curve) => ({ chain: { id }, curve })

describe('a keyring', () => {
  test('returns the key of a curve, and throws if it has none', () => {
    const key = createKey('ed25519', '42'.repeat(32))
    const keyring = createKeyring([key])
    expect(keyring.of(on('one', 'ed25519'))).toBe(key)
    expect(keyring.findByCurve('ed25519')).toBe(key)
    expect(() => keyring.of(on('one', 'secp256k1'))).toThrow('no secp256k1 key is configured, which one needs')
    expect(keyring.find(on('one', 'stark'))).toBeNull()
  })

  test("returns a chain's own key, and to other chains that of their curve", () => {
    const [shared, own] = [createKey('secp256k1', '42'.repeat(32)), createKey('secp256k1', '43'.repeat(32))]
    const keyring = createKeyring([shared], new Map([['own', own]]))
    expect([keyring.of(on('own', 'secp256k1')), keyring.of(on('other', 'secp256k1'))]).toEqual([own, shared])
    expect(keyring.findByCurve('secp256k1')).toBe(shared)
    expect(() => keyring.of(on('own', 'ed25519'))).toThrow('expected a key on ed25519, got one on secp256k1')
    const alone = createKeyring([], new Map([['own', own]]))
    expect(() => alone.of(on('other', 'secp256k1'))).toThrow('no secp256k1 key is configured, which other needs')
  })

  test("refuses a chain's own key that is also another's, and takes one text on two curves", () => {
    const key = (curve: Curve, byte = '42') => createKey(curve, byte.repeat(32))
    expect(() => createKeyring([key('secp256k1')], new Map([['one', key('secp256k1')]]))).toThrow(
      'the key of one is also that of secp256k1: make another, or leave it out',
    )
    const twice = new Map(['one', 'two'].map((chain) => [chain, key('secp256k1', '43')] as const))
    expect(() => createKeyring([key('secp256k1')], twice)).toThrow('the key of two is also that of one')
    expect(createKeyring([key('secp256k1')], new Map([['one', key('ed25519')]])).of(on('one', 'ed25519')).curve).toBe('ed25519')
  })

  test.each(curves)('%s: random private keys are valid and differ', (curve) => {
    const made = Array.from({ length: 20 }, () => randomPrivateKey(curve))
    expect(new Set(made).size).toBe(20)
    for (const text of made) expect(createKey(curve, text).curve).toBe(curve)
  })

  test('onCurve refuses a key of another curve', () => {
    const key = createKey('ed25519', '42'.repeat(32))
    expect(onCurve('ed25519', key)).toBe(key)
    expect(() => onCurve('secp256k1', key)).toThrow('expected a key on secp256k1, got one on ed25519')
  })
})

test('what a chain permits is asked of it before each operation, also with the key of an order', async () => {
  const asked: unknown[] = []
  const place = { ...on('one', 'secp256k1'), permitSigning: (request: SigningRequest) => void asked.push(request) }
  const key = createKey('secp256k1', '42'.repeat(32))
  for (const bound of [createKeyring([key]).of(place), createOrderKey(place, '42'.repeat(32))])
    await testSigning.sign('digest', bound.signerFor(testPurpose), new Uint8Array(32))
  const request = { purpose: testPurpose, operation: 'digest', args: [new Uint8Array(32)] }
  expect(asked).toMatchObject([request, { ...request, isOrderKey: true }])
  expect(asked[0]).not.toHaveProperty('isOrderKey')
  const refusing = { ...place, permitSigning: () => expect.fail('refused') }
  const refused = createOrderKey(refusing, '42'.repeat(32)).signerFor(testPurpose)
  await expect(testSigning.sign('digest', refused, new Uint8Array(32))).rejects.toThrow('refused')
})

describe('a public key', () => {
  test.each(curves)('%s: is read from the text of its bytes', (curve) => {
    const { publicKey } = createKey(curve, '02'.repeat(32))
    const text = bytesToHex(publicKey)
    expect(parsePublicKey(curve, text)).toEqual({ curve, publicKey })
    for (const wrong of ['', text.slice(1), text.slice(2), `${text}00`, text.replace(/.$/, 'x'), 'f'.repeat(text.length)]) {
      const digits = text.length
      expect(() => parsePublicKey(curve, wrong)).toThrow(`a public key on ${curve} must be ${digits} hex characters and valid there`)
    }
  })

  test('of another curve is refused, and not quoted', () => {
    const text = bytesToHex(createKey('secp256k1', '42'.repeat(32)).publicKey)
    for (const curve of ['ed25519', 'stark'] as const)
      expect(() => parsePublicKey(curve, text)).toThrow(expect.not.objectContaining({ message: expect.stringContaining(text) }))
  })
})

describe('a purpose', () => {
  // The types of this file check that a key without a purpose has no method to sign.
  test('is stated before a key can sign', () => {
    expectTypeOf<Parameters<Key['signerFor']>>().toEqualTypeOf<[purpose: Purpose]>()
    expectTypeOf<keyof Key>().toEqualTypeOf<'curve' | 'publicKey' | 'signerFor'>()
  })

  test('is passed to the key with every operation', async () => {
    const { key, purposes } = withRecordedPurposes(createKey('secp256k1', '42'.repeat(32)))
    await testSigning.sign('digest', key.signerFor(testPurpose), new Uint8Array(32))
    expect(purposes).toEqual([testPurpose])
  })
})

// The vectors are TEST 1 to 3 of RFC 8032, 7.1.
const vectors = [
  {
    seed: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    publicKey: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    message: '',
    signature:
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  },
  {
    seed: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    publicKey: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    message: '72',
    signature:
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  },
  {
    seed: 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
    publicKey: 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    message: 'af82',
    signature:
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  },
]

describe('an ed25519 key', () => {
  test.each(vectors)('signs as RFC 8032 says: "$message"', ({ seed, publicKey, message, signature }) => {
    const key = createEd25519Key(seed)
    expect(bytesToHex(key.publicKey)).toBe(publicKey)
    const signed = rawSignerOf(key).signMessage(hexToBytes(message))
    expect(bytesToHex(signed)).toBe(signature)
    expect(ed25519.verify(signed, hexToBytes(message), key.publicKey)).toBe(true)
  })

  test('does not expose its private key', () => {
    const key = createEd25519Key('42'.repeat(32))
    for (const shown of [key, key.signerFor(testPurpose)]) expect(JSON.stringify(shown)).not.toContain('42'.repeat(32))
  })

  test.each(['', '42'.repeat(31), 'zz'.repeat(32)])('refuses "%s" without quoting it', (text) => {
    expect(() => createEd25519Key(text)).toThrow(/^a private key must be 32 bytes as hex and valid on ed25519$/)
  })
})

const ORDER = 0x800000000000010ffffffffffffffffb781126dcae7b2321e66a241adc64d2fn
const padded = (hex: string) => hex.padStart(64, '0')
const key = createStarkKey(padded('2dccce1da22003777062ee0870e9881b460a8b7eca276870f57c601f182136c'))
const sign = (digest: string) => rawSignerOf(key).signFelt(hexToBytes(padded(digest)))

describe('a stark key', () => {
  // StarkWare's signature library has these vectors (signature_test.js): r, and w = 1/s.
  test.each([
    {
      digest: 'c465dd6b1bbffdb05442eb17f5ca38ad1aa78a6f56bf4415bdee219114a47',
      r: '5f496f6f210b5810b2711c74c15c05244dad43d18ecbbdbe6ed55584bc3b0a2',
      w: '777aa1a010e06e0eae0162c8121778d863f393a64f33fbc806c33140144af8b',
    },
    {
      digest: 'c465dd6b1bbffdb05442eb17f5ca38ad1aa78a6f56bf4415bdee219114a47a',
      r: '233b88c4578f0807b4a7480c8076eca5cfefa29980dd8e2af3c46a253490e9c',
      w: '522ced67a42c09b6bfd74cfc16c11c49d63d79c7e81ae84ee89ff870218c919',
    },
    {
      digest: '7465dd6b1bbffdb05442eb17f5ca38ad1aa78a6f56bf4415bdee219114a47a1',
      r: 'b6bee8010f96a723f6de06b5fa06e820418712439c93850dd4e9bde43ddf',
      w: '1a42d3f507da55c0347818fced04f33e4b78ee6c5b81c777215471b7104ef01',
    },
  ])('signs $digest as StarkWare does', ({ digest, r, w }) => {
    const signature = sign(digest)
    expect(signature).toHaveLength(64)
    const [signedR, s] = [signature.subarray(0, 32), signature.subarray(32)].map((bytes) => BigInt(`0x${bytesToHex(bytes)}`))
    expect(signedR).toBe(BigInt(`0x${r}`))
    expect(((s ?? 0n) * BigInt(`0x${w}`)) % ORDER).toBe(1n)
  })

  test('has the x coordinate of its point as public key', () => {
    const known = createStarkKey(padded('178047d3869489c055d7ea54c014ffb834a069c9595186abe04ea4d1223a03f'))
    expect(bytesToHex(known.publicKey)).toBe(padded('1895a6a77ae14e7987b9cb51329a5adfb17bd8e7c638f92d6892d76e51cebcf'))
  })

  test('signs only digests that an account can verify: 32 bytes below 2^251', () => {
    expect(sign('7'.padEnd(63, 'f'))).toHaveLength(64)
    expect(() => sign('8'.padEnd(63, '0'))).toThrow('below 2^251')
    expect(() => rawSignerOf(key).signFelt(new Uint8Array(31))).toThrow('32 bytes')
  })

  test('can be generated at random', () => {
    for (let count = 0; count < 20; count++) expect(createStarkKey(bytesToHex(randomStarkPrivateKey())).publicKey).toHaveLength(32)
  })

  test.each(['', '00'.repeat(32), ORDER.toString(16).padStart(64, '0'), 'ff'.repeat(32)])('refuses "%s" without quoting it', (text) => {
    expect(() => createStarkKey(text)).toThrow(/^a private key must be 32 bytes as hex and valid on stark$/)
  })
})

test('a signature is told from that of another key, of another digest, and from none', () => {
  const digest = hexToBytes(padded('1234'))
  for (let count = 0; count < 8; count++) {
    const signing = createStarkKey(bytesToHex(randomStarkPrivateKey()))
    const signature = rawSignerOf(signing).signFelt(digest)
    const parts = [signature.subarray(0, 32), signature.subarray(32)]
    expect(isStarkSignature(signing.publicKey, digest, parts)).toBe(true)
    expect(isStarkSignature(key.publicKey, digest, parts)).toBe(false)
    expect(isStarkSignature(signing.publicKey, hexToBytes(padded('1235')), parts)).toBe(false)
  }
  expect(isStarkSignature(key.publicKey, digest, [])).toBe(false)
})
