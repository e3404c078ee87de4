import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { describe, expect, test } from 'vitest'
import { createSigner } from './signer.ts'

const KEY = '42'.repeat(32)
const HASH = new Uint8Array(32).fill(7)

describe('a signer', () => {
  test('is the same for a key with and without 0x', () => {
    expect(createSigner(`0x${KEY}`).publicKey).toEqual(createSigner(KEY).publicKey)
    expect(createSigner(KEY).publicKey).toHaveLength(33)
  })

  test('signs so that its public key can be recovered', () => {
    const { publicKey, signEcdsa } = createSigner(KEY)
    for (let byte = 0; byte < 8; byte++) {
      const hash = new Uint8Array(32).fill(byte)
      const signature = signEcdsa(hash)
      expect(signature).toHaveLength(65)
      const recovered = Uint8Array.from([signature[64] ?? 0, ...signature.subarray(0, 64)])
      expect(secp256k1.recoverPublicKey(recovered, hash, { prehash: false })).toEqual(publicKey)
      expect(secp256k1.Signature.fromBytes(signature.subarray(0, 64), 'compact').hasHighS()).toBe(false)
    }
  })

  test('signs by BIP340', () => {
    const { publicKey, signSchnorr } = createSigner(KEY)
    expect(schnorr.verify(signSchnorr(HASH), HASH, publicKey.subarray(1))).toBe(true)
  })

  test('does not show its key', () => {
    const signer = createSigner(KEY)
    expect(JSON.stringify(signer)).not.toContain(KEY)
    expect(Object.keys(signer)).toEqual(['publicKey', 'signEcdsa', 'signSchnorr'])
  })

  test.each(['', KEY.slice(2), `${KEY}00`, `0X${KEY}`, 'zz'.repeat(32), '00'.repeat(32), 'ff'.repeat(32)])(
    'refuses "%s" without quoting it',
    (text) => {
      expect(() => createSigner(text)).toThrow(/^a private key must be 32 bytes as hex and valid on secp256k1$/)
    },
  )
})
