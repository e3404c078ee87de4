import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { describe, expect, test } from 'vitest'
import { testPurpose } from './keys.fixture.ts'
import { createStarkKey, isStarkSignature, randomStarkPrivateKey } from './stark.ts'

const ORDER = 0x800000000000010ffffffffffffffffb781126dcae7b2321e66a241adc64d2fn
const padded = (hex: string) => hex.padStart(64, '0')
const key = createStarkKey(padded('2dccce1da22003777062ee0870e9881b460a8b7eca276870f57c601f182136c'))
const sign = (digest: string) => key.signerFor(testPurpose).signFelt(hexToBytes(padded(digest)))

describe('a stark key', () => {
  // StarkWare's own vectors for its signature library (signature_test.js): r, and w = 1/s.
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
    expect(() => key.signerFor(testPurpose).signFelt(new Uint8Array(31))).toThrow('32 bytes')
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
    const signature = signing.signerFor(testPurpose).signFelt(digest)
    const parts = [signature.subarray(0, 32), signature.subarray(32)]
    expect(isStarkSignature(signing.publicKey, digest, parts)).toBe(true)
    expect(isStarkSignature(key.publicKey, digest, parts)).toBe(false)
    expect(isStarkSignature(signing.publicKey, hexToBytes(padded('1235')), parts)).toBe(false)
  }
  expect(isStarkSignature(key.publicKey, digest, [])).toBe(false)
})
