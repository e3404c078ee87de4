import { describe, expect, expectTypeOf, test } from 'vitest'
import type { Key } from './key.ts'
import { onCurve } from './key.ts'
import { createKey, createKeyring, curves, randomPrivateKey } from './keyring.ts'
import { testPurpose, withRecordedPurposes } from './keys.fixture.ts'
import type { Purpose } from './purpose.ts'

describe('a keyring', () => {
  test('returns the key of a curve, and throws if it has none', () => {
    const key = createKey('ed25519', '42'.repeat(32))
    const keyring = createKeyring([key])
    expect(keyring.of('ed25519')).toBe(key)
    expect(() => keyring.of('secp256k1')).toThrow('no secp256k1 key is configured')
    expect(() => keyring.of('stark')).toThrow('no stark key is configured')
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

describe('a purpose', () => {
  // Checked by the types of this file: a key without a purpose has no method to sign.
  test('is stated before a key can sign', () => {
    expectTypeOf<Parameters<Key['signerFor']>>().toEqualTypeOf<[purpose: Purpose]>()
    expectTypeOf<keyof Key>().toEqualTypeOf<'curve' | 'publicKey' | 'signerFor'>()
  })

  test('is passed to the key with every signature', () => {
    const { key, purposes } = withRecordedPurposes(createKey('secp256k1', '42'.repeat(32)))
    const signer = onCurve('secp256k1', key.signerFor(testPurpose))
    signer.signEcdsa(new Uint8Array(32))
    signer.signSchnorr(new Uint8Array(32))
    signer.startMusig()
    expect(purposes).toEqual([testPurpose, testPurpose, testPurpose])
  })
})
