/** Tests that keys sign by operations alone, and only while their guard agrees. */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { expect, test } from 'vitest'
import { createEd25519Key } from './ed25519.ts'
import { testPurpose, testSigning } from './keys.fixture.ts'
import { signingOf } from './operations.ts'
import { createSecp256k1Key } from './secp256k1.ts'

const HASH = new Uint8Array(32).fill(7)
const key = createSecp256k1Key('42'.repeat(32))
const signer = key.signerFor(testPurpose)

test('an operation signs with the key of the signer, for its purpose', async () => {
  const signature = await testSigning.sign('digest', signer, HASH)
  expect(secp256k1.verify(signature.subarray(0, 64), HASH, key.publicKey, { prehash: false })).toBe(true)
  expect(await signingOf('secp256k1', { purpose: ({ purpose }) => purpose }).sign('purpose', signer)).toBe(testPurpose)
})

test('a signer has no method that signs', () => {
  const methods = Object.entries(signer).filter(([, value]) => typeof value === 'function')
  expect(methods).toEqual([])
})

test('a key on another curve is refused', async () => {
  const other = createEd25519Key('42'.repeat(32)).signerFor(testPurpose)
  await expect(testSigning.sign('digest', other, HASH)).rejects.toThrow('expected a key on secp256k1, got one on ed25519')
})

test('a signer that was copied out of this process is refused', async () => {
  await expect(testSigning.sign('digest', structuredClone(signer), HASH)).rejects.toThrow('not held by this process')
})

test.each([
  ['before the operation', 1, 0],
  ['while the operation runs', 2, 1],
])('a guard that refuses %s keeps the signature', async (_, refuses, runs) => {
  let [asked, ran] = [0, 0]
  const counting = signingOf('secp256k1', {
    digest(raw, digest: Uint8Array) {
      ran += 1
      return raw.signEcdsa(digest)
    },
  })
  const assertMaySign = () => {
    asked += 1
    if (asked === refuses) throw new Error('the lease is lost')
  }
  await expect(counting.sign('digest', { ...signer, assertMaySign }, HASH)).rejects.toThrow('the lease is lost')
  expect(ran).toBe(runs)
})
