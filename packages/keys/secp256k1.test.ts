/** Tests keys and signatures on secp256k1. */
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { keyAggExport, keyAggregate, nonceAggregate, Session } from '@scure/btc-signer/musig2.js'
import { describe, expect, test } from 'vitest'
import { createTestSigner, type TestSigner, testPurpose } from './keys.fixture.ts'
import type { MusigSigning } from './musig2.ts'
import type { MusigMessage } from './musig2-session.ts'
import { createSecp256k1Key } from './secp256k1.ts'

const KEY = '42'.repeat(32)
const HASH = new Uint8Array(32).fill(7)

describe('a secp256k1 key', () => {
  test('is the same with and without 0x', () => {
    expect(createSecp256k1Key(`0x${KEY}`).publicKey).toEqual(createSecp256k1Key(KEY).publicKey)
    expect(createSecp256k1Key(KEY).publicKey).toHaveLength(33)
  })

  test('signs so that its public key can be recovered', () => {
    const { publicKey, signEcdsa } = createTestSigner(KEY)
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
    const { publicKey, signSchnorr } = createTestSigner(KEY)
    expect(schnorr.verify(signSchnorr(HASH), HASH, publicKey.subarray(1))).toBe(true)
  })

  test('does not expose its private key, and its signer has the purpose', () => {
    const key = createSecp256k1Key(KEY)
    const signer = key.signerFor(testPurpose)
    for (const shown of [key, signer]) expect(JSON.stringify(shown)).not.toContain(KEY)
    expect(Object.keys(key)).toEqual(['curve', 'publicKey', 'signerFor'])
    expect(Object.keys(signer)).toEqual(['curve', 'publicKey', 'purpose', 'handle'])
    expect(signer.purpose).toBe(testPurpose)
  })

  test.each(['', KEY.slice(2), `${KEY}00`, `0X${KEY}`, 'zz'.repeat(32), '00'.repeat(32), 'ff'.repeat(32)])(
    'refuses "%s" without quoting it',
    (text) => {
      expect(() => createSecp256k1Key(text)).toThrow(/^a private key must be 32 bytes as hex and valid on secp256k1$/)
    },
  )
})

// The public keys of these have even and odd y.
const EVEN = [KEY, '03'.repeat(32)].filter((key) => createSecp256k1Key(key).publicKey[0] === 2)
const ODD = ['01', '02', '04', '05', '06'].map((byte) => byte.repeat(32)).filter((key) => createSecp256k1Key(key).publicKey[0] === 3)

describe('a signature by two keys together', () => {
  const TWEAK = new Uint8Array(32).fill(9)
  const evenKey = ({ publicKey }: TestSigner) => Uint8Array.of(2, ...publicKey.subarray(1))
  const sessionOf = (signers: readonly TestSigner[], started: readonly MusigSigning[]): MusigMessage => ({
    keys: signers.map(evenKey),
    nonces: started.map(({ nonce }) => nonce),
    message: HASH,
    tweaks: [TWEAK],
  })
  const pairs = [
    [EVEN[0], EVEN[1] ?? EVEN[0]],
    [EVEN[0], ODD[0]],
    [ODD[0], EVEN[0]],
    [ODD[0], ODD[1]],
  ].map(([one = '', other = '']) => [createTestSigner(one), createTestSigner(other)] as const)

  test.each(pairs)('is valid for the tweaked aggregate, for all parities of the keys (%#)', (...signers) => {
    const started = signers.map((signer) => signer.startMusig())
    const session = sessionOf(signers, started)
    const parts = started.map((signing) => signing.sign(session))
    const joined = new Session(nonceAggregate([...session.nonces]), [...session.keys], HASH, [TWEAK], [true]).partialSigAgg(parts)
    const key = keyAggExport(keyAggregate([...session.keys], [TWEAK], [true]))
    expect(schnorr.verify(joined, HASH, key)).toBe(true)
  })

  test('both parities are among the keys', () => {
    expect(EVEN.length).toBeGreaterThan(0)
    expect(ODD.length).toBeGreaterThan(1)
  })

  test('starts with a new nonce every time', () => {
    const signer = createTestSigner(KEY)
    const nonces = Array.from({ length: 20 }, () => bytesToHex(signer.startMusig().nonce))
    expect(new Set(nonces).size).toBe(20)
  })

  test('a nonce signs once, even if that failed', () => {
    const signers = [createTestSigner(KEY), createTestSigner(ODD[0] ?? '')]
    const started = signers.map((signer) => signer.startMusig())
    const session = sessionOf(signers, started)
    const [own] = started
    expect(own?.sign(session)).toHaveLength(32)
    expect(() => own?.sign(session)).toThrow('used up')
    expect(() => own?.sign({ ...session, message: new Uint8Array(32) })).toThrow('used up')
    const failed = signers[0]?.startMusig()
    expect(() => failed?.sign(session)).toThrow('not at the same place')
    expect(() => failed?.sign(sessionOf(signers, [failed, ...started.slice(1)]))).toThrow('used up')
  })

  test('is refused unless its own key and nonce are at the same place', () => {
    const signers = [createTestSigner(KEY), createTestSigner(ODD[0] ?? '')]
    const attempt = (change: (session: MusigMessage) => MusigMessage) => {
      const started = signers.map((signer) => signer.startMusig())
      return () => started[0]?.sign(change(sessionOf(signers, started)))
    }
    expect(attempt((session) => session)).not.toThrow()
    const wrong = 'not at the same place'
    expect(attempt((session) => ({ ...session, nonces: session.nonces.toReversed() }))).toThrow(wrong)
    expect(attempt((session) => ({ ...session, keys: session.keys.toReversed() }))).toThrow(wrong)
    expect(attempt((session) => ({ ...session, keys: session.keys.slice(1), nonces: session.nonces.slice(1) }))).toThrow(wrong)
    expect(attempt((session) => ({ ...session, nonces: [...session.nonces, ...session.nonces] }))).toThrow(wrong)
  })

  test('changing the returned nonce has no effect', () => {
    const signers = [createTestSigner(KEY), createTestSigner(ODD[0] ?? '')]
    const started = signers.map((signer) => signer.startMusig())
    const session = sessionOf(
      signers,
      started.map((signing) => ({ ...signing, nonce: Uint8Array.from(signing.nonce) })),
    )
    started[0]?.nonce.fill(1)
    expect(started[0]?.sign(session)).toHaveLength(32)
  })
})
