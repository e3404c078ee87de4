/** Tests that a worker thread signs like the signer itself, and learns no more than it needs. */
import { schnorr } from '@noble/curves/secp256k1.js'
import { keyAggExport, keyAggregate, nonceAggregate, Session } from '@scure/btc-signer/musig2.js'
import { describe, expect, test } from 'vitest'
import { createTestSigner, testPurpose } from './keys.fixture.ts'
import { createSecp256k1Key } from './secp256k1.ts'
import { type jobs, testModule } from './sign-in-worker.fixture.ts'
import { signingJobsOf } from './sign-in-worker.ts'

const signing = signingJobsOf<typeof jobs>(testModule)
const [one, other] = [createTestSigner('42'.repeat(32)), createTestSigner('01'.repeat(32))]
const signers = [one, other]
const HASH = new Uint8Array(32).fill(7)

/** Both keys have even y, because BIP327 takes x-only keys. */
const keys = signers.map(({ publicKey }) => Uint8Array.of(2, ...publicKey.subarray(1)))
const messageOf = (nonces: readonly Uint8Array[], message = HASH) => ({ keys, nonces, message, tweaks: [] })

describe('a signing job', () => {
  test('signs in a worker thread exactly what the signer signs itself, for its purpose', async () => {
    expect(await signing.sign('ecdsa', signers, [HASH])).toEqual(signers.map((signer) => signer.signEcdsa(HASH)))
    expect(await signing.sign('purposes', [one], [])).toEqual([testPurpose])
  })

  test('leaves the keys of the caller usable', async () => {
    await signing.sign('ecdsa', signers, [HASH])
    expect(await signing.sign('ecdsa', signers, [HASH])).toEqual(signers.map((signer) => signer.signEcdsa(HASH)))
    await expect(signing.sign('ecdsa', [{ ...one, handle: { ...one.handle } }], [HASH])).rejects.toThrow('not held by this process')
  })

  test('gives no signature if a guarded signer refuses when the job ends', async () => {
    let calls = 0
    const assertMaySign = () => {
      calls += 1
      if (calls > 1) throw new Error('the facts are too old')
    }
    await expect(signing.sign('ecdsa', [{ ...one, assertMaySign }], [HASH])).rejects.toThrow('too old')
  })

  test('shows nothing of a key', () => {
    expect(Object.keys(one.handle)).toEqual(['curve'])
    expect(JSON.stringify(createSecp256k1Key('42'.repeat(32)).signerFor(testPurpose))).not.toContain('42'.repeat(32))
  })
})

describe('a signing in two calls', () => {
  const begin = async () => {
    const { value, signing: open } = await signing.begin('nonces', signers, [1])
    const nonces = value.map(([nonce]) => nonce ?? new Uint8Array())
    return { open, nonces }
  }

  test('signs with the nonces of its first call', async () => {
    const { open, nonces } = await begin()
    const parts = await open.finish('parts', [[messageOf(nonces), messageOf(nonces)]])
    const session = new Session(nonceAggregate(nonces), keys, HASH)
    const signature = session.partialSigAgg([...parts])
    expect(schnorr.verify(signature, HASH, keyAggExport(keyAggregate(keys)))).toBe(true)
  })

  test('ends with its first finish, also if that fails: the nonces are gone', async () => {
    const { open, nonces } = await begin()
    const messages = [messageOf(nonces), messageOf(nonces)]
    await open.finish('parts', [messages])
    await expect(open.finish('parts', [messages])).rejects.toThrow('is finished')
    const failed = await begin()
    await expect(failed.open.finish('parts', [messages])).rejects.toThrow('own nonce')
    await expect(failed.open.finish('parts', [[messageOf(failed.nonces), messageOf(failed.nonces)]])).rejects.toThrow('is finished')
  })

  test('has no more nonces than its first call made', async () => {
    const { open } = await begin()
    await expect(open.finish('nonces', [2])).rejects.toThrow('no nonce left')
  })

  test('makes new nonces each time', async () => {
    expect((await begin()).nonces).not.toEqual((await begin()).nonces)
  })

  test('fails with its worker, and a new one succeeds', async () => {
    const dead = await begin()
    await expect(dead.open.finish('die', [])).rejects.toThrow('a worker thread died')
    const { open, nonces } = await begin()
    expect(await open.finish('parts', [[messageOf(nonces), messageOf(nonces)]])).toHaveLength(2)
  })
})
