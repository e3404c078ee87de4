/** Tests joint signatures by MuSig2. */
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { keyAggExport, keyAggregate, nonceAggregate, nonceGen, Session } from '@scure/btc-signer/musig2.js'
import { describe, expect, it } from 'vitest'
import { generateNonce, signPartially } from './musig2.ts'
import type { MusigMessage } from './musig2-session.ts'

// An independent implementation of BIP327, which is checked with the standard's own vectors, decides.

const signers = Array.from({ length: 3 }, (_, index) => {
  const secret = new Uint8Array(32).fill(index + 1)
  return { secret, publicKey: secp256k1.getPublicKey(secret, true) }
})
const message = new Uint8Array(32).fill(9)
const tweaks = [new Uint8Array(32).fill(3), new Uint8Array(32).fill(4)]

describe('MuSig2', () => {
  it('generates nonces as the standard does', () => {
    const random = new Uint8Array(32).fill(5)
    for (const { secret, publicKey } of signers) {
      const expected = nonceGen(publicKey, secret, undefined, undefined, undefined, random)
      const nonce = generateNonce(publicKey, secret, random)
      expect(nonce.public).toEqual(expected.public)
      expect(nonce.secret).toEqual(expected.secret.subarray(0, 64))
    }
  })

  it.each([
    [1, 0],
    [2, 0],
    [2, 1],
    [2, 2],
    [3, 1],
  ])('%i signers and %i tweaks: every partial signature is valid, and so is their aggregate', (count, tweakCount) => {
    // Nonces are random, so several runs see both parities of everything.
    for (let run = 0; run < 4; run++) {
      const taking = signers.slice(0, count)
      const nonces = taking.map(({ publicKey, secret }) => generateNonce(publicKey, secret))
      const keys = taking.map(({ publicKey }) => publicKey)
      const used = tweaks.slice(0, tweakCount)
      const isXonly = used.map(() => true)
      const publicNonces = nonces.map((nonce) => nonce.public)
      const parts = taking.map(({ publicKey, secret }, index) =>
        signPartially({ keys, nonces: publicNonces, message, tweaks: used }, publicKey, secret, nonces[index]?.secret ?? new Uint8Array()),
      )
      const session = new Session(nonceAggregate(publicNonces), keys, message, used, isXonly)
      for (const [index, part] of parts.entries()) expect(session.partialSigVerify(part, publicNonces, index)).toBe(true)
      expect(schnorr.verify(session.partialSigAgg(parts), message, keyAggExport(keyAggregate(keys, used, isXonly)))).toBe(true)
    }
  })

  it('signs for one key that takes part twice', () => {
    const [signer] = signers
    if (signer === undefined) throw new Error('there is no signer')
    const { publicKey, secret } = signer
    const nonces = [generateNonce(publicKey, secret), generateNonce(publicKey, secret)]
    const [keys, publicNonces] = [[publicKey, publicKey], nonces.map((nonce) => nonce.public)]
    const parts = nonces.map((nonce) => signPartially({ keys, nonces: publicNonces, message, tweaks: [] }, publicKey, secret, nonce.secret))
    const session = new Session(nonceAggregate(publicNonces), keys, message)
    expect(schnorr.verify(session.partialSigAgg(parts), message, keyAggExport(keyAggregate(keys)))).toBe(true)
  })

  it('signs nothing with a wiped nonce, an invalid nonce or an invalid key', () => {
    const [one, other] = signers
    if (one === undefined || other === undefined) throw new Error('expected two signers')
    const [own, theirs] = [generateNonce(one.publicKey, one.secret), generateNonce(other.publicKey, other.secret)]
    const session: MusigMessage = { keys: [one.publicKey, other.publicKey], nonces: [own.public, theirs.public], message, tweaks: [] }
    const sign = (change: Partial<MusigMessage>, secretNonce = own.secret) =>
      signPartially({ ...session, ...change }, one.publicKey, one.secret, secretNonce)
    expect(sign({})).toHaveLength(32)
    expect(() => sign({}, new Uint8Array(64))).toThrow()
    expect(() => sign({ nonces: [own.public, new Uint8Array(66)] })).toThrow()
    expect(() => sign({ nonces: [own.public, theirs.public.subarray(0, 65)] })).toThrow('two points')
    expect(() => sign({ keys: [one.publicKey, new Uint8Array(33)] })).toThrow()
    expect(() => sign({ tweaks: [new Uint8Array(32).fill(0xff)] })).toThrow()
  })
})
