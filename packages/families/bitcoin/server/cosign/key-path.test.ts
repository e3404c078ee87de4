/** Tests joint signatures by the key path: who may sign, how often, and which partial signatures are refused. */
import { schnorr } from '@noble/curves/secp256k1.js'
import { hexToBytes } from '@noble/hashes/utils.js'
import { createTestSigner, type TestSigner } from '@tandem/keys/keys.fixture.ts'
import type { PartialSignature } from '@tandem/keys/musig2.ts'
import { aggregateKeys } from '@tandem/keys/musig2-session.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { hashSecret } from '@tandem/protocol/secret.ts'
import { describe, expect, it } from 'vitest'
import { htlcOf } from '../../terms/htlc.ts'
import { networkOf } from '../../terms/networks.ts'
import { identityOf } from '../../terms/script/user-key.ts'
import { signPartial, startSide, verifyPartial } from './key-path.ts'

const network = networkOf('bitcoin:regtest')
const hash = new Uint8Array(32).fill(7)
const deposit = `${'ab'.repeat(32)}:1`

/** The keys have both parities, so that every combination and both orders of the sorted keys occur. */
const signers = ['01', '02', '03', '04', '05', '06', '42'].map((byte) => createTestSigner(byte.repeat(32)))
const termsOf = (initiator: TestSigner, redeemer: TestSigner): HtlcTerms => ({
  asset: 'bitcoin_regtest:btc',
  initiator: identityOf(initiator),
  redeemer: identityOf(redeemer),
  amount: 100_000n,
  secretHash: hashSecret('03'.repeat(32)),
  timelock: 144n,
})
const [one, other, third] = signers
if (one === undefined || other === undefined || third === undefined) throw new Error('expected three signers')
const terms = termsOf(one, other)

const start = () => startSide(network, terms, 'initiator', deposit, one)
const answer = (nonce: string, overHash = hash) => signPartial(startSide(network, terms, 'redeemer', deposit, other), overHash, nonce)
const wrong = (about: RegExp) => expect.objectContaining({ code: 'invalid_signature', message: expect.stringMatching(about) })

describe('a signature by the key path', () => {
  it('is valid for the output key, for every parity and order of the keys, and for equal keys', () => {
    const kindOf = (a: TestSigner, b: TestSigner) => `${a.publicKey[0]}${b.publicKey[0]}${identityOf(a) < identityOf(b)}`
    const pairs = signers.flatMap((a) => signers.map((b) => [a, b] as const))
    const different = new Map(pairs.map(([a, b]) => [kindOf(a, b), [a, b] as const]))
    expect(different.size).toBe(8)
    const tried = [...different.values(), [one, one] as const]
    const keys = tried.map(([a, b]) => htlcOf(termsOf(a, b), network).key)
    // The aggregate key is even or odd, and so is the output key.
    const internalParity = (...parties: readonly TestSigner[]) => {
      const sorted = parties.map((party) => `02${identityOf(party)}`).sort()
      return aggregateKeys(sorted.map(hexToBytes), []).bytes[0]
    }
    expect(new Set(keys.map(({ output }, index) => `${internalParity(...(tried[index] ?? []))}${output[0]}`)).size).toBe(4)
    for (const [a, b] of tried) {
      const of = termsOf(a, b)
      const initiator = startSide(network, of, 'initiator', deposit, a)
      const part = signPartial(startSide(network, of, 'redeemer', deposit, b), hash, initiator.nonce)
      const signature = verifyPartial(initiator, hash, part)()
      expect(schnorr.verify(signature, hash, htlcOf(of, network).outputKey)).toBe(true)
    }
  })

  it('is started by the parties of the terms only', () => {
    expect(() => startSide(network, terms, 'initiator', deposit, other)).toThrow('only the initiator')
    expect(() => startSide(network, terms, 'redeemer', deposit, third)).toThrow('only the redeemer')
  })

  it('is made once: a side that has signed, or has failed to, never signs again', () => {
    const side = start()
    const part = answer(side.nonce)
    verifyPartial(side, hash, part)()
    expect(() => verifyPartial(side, hash, part)()).toThrow('used up')
    const answering = startSide(network, terms, 'redeemer', deposit, other)
    signPartial(answering, hash, start().nonce)
    expect(() => signPartial(answering, hash, start().nonce)).toThrow('used up')
  })

  it.each<[string, (part: PartialSignature, nonce: string) => PartialSignature]>([
    ['of another hash', (_, nonce) => answer(nonce, new Uint8Array(32))],
    ['made for another nonce', () => answer(start().nonce)],
    ['of another signing by the same key', (part, nonce) => ({ ...part, signature: answer(nonce).signature })],
    ['with another nonce', (part) => ({ ...part, nonce: start().nonce })],
    ['that gives our own nonce back', (part, nonce) => ({ ...part, nonce })],
    ['of zero', (part) => ({ ...part, signature: '00'.repeat(32) })],
    ['above the order of the curve', (part) => ({ ...part, signature: 'ff'.repeat(32) })],
    ['that is too long', (part) => ({ ...part, signature: `${part.signature}00` })],
    ['in upper case', (part) => ({ ...part, signature: 'AB'.repeat(32) })],
    ['of nothing', (part) => ({ ...part, signature: '' })],
  ])('is refused with a partial signature %s, and the error names the deposit', (_, change) => {
    const side = start()
    const part = change(answer(side.nonce), side.nonce)
    expect(() => verifyPartial(side, hash, part)).toThrow(wrong(new RegExp(`redeemer's part.*${deposit}`)))
    // We signed nothing for the refused parts: the valid partial signature still completes the signature.
    const signature = verifyPartial(side, hash, answer(side.nonce))()
    expect(schnorr.verify(signature, hash, htlcOf(terms, network).outputKey)).toBe(true)
  })

  it.each(['', 'zz'.repeat(66), '05'.repeat(66), '00'.repeat(66), `02${'ff'.repeat(32)}`.repeat(2)])(
    'is not made with the nonce "%s"',
    (nonce) => {
      const side = start()
      expect(() => answer(nonce)).toThrow(wrong(/initiator's nonce/))
      expect(() => verifyPartial(side, hash, { ...answer(side.nonce), nonce })).toThrow(wrong(/redeemer's nonce/))
    },
  )

  it('is not made with a nonce that cancels our own', () => {
    const side = start()
    const cancelling = [side.nonce.slice(0, 66), side.nonce.slice(66)].map(
      (point) => `${point.startsWith('02') ? '03' : '02'}${point.slice(2)}`,
    )
    expect(() => verifyPartial(side, hash, { ...answer(side.nonce), nonce: cancelling.join('') })).toThrow(wrong(/redeemer's nonce/))
  })

  it('is not made by parties with different terms', () => {
    const side = start()
    const elsewhere = startSide(network, { ...terms, timelock: 145n }, 'redeemer', deposit, other)
    expect(() => verifyPartial(side, hash, signPartial(elsewhere, hash, side.nonce))).toThrow(wrong(/redeemer's part/))
  })
})
