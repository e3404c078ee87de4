// Payloads come from another party: a malformed one is refused with the reason before anything is signed.
import { describe, expect, it } from 'vitest'
import type { HtlcTerms } from '../../../protocol/htlc.ts'
import { createSecret, hashSecret } from '../../../protocol/secret.ts'
import { randomSigner, regtest } from '../bitcoin.fixture.ts'
import { walletAddress } from '../script/address.ts'
import { identityOf } from '../script/identity.ts'
import { cosigning, instantRefundSigning } from './cosign-abilities.ts'

const [initiator, redeemer] = [randomSigner(), randomSigner()]
const secret = createSecret()
const terms: HtlcTerms = {
  asset: 'bitcoin_regtest:btc',
  initiator: identityOf(initiator),
  redeemer: identityOf(redeemer),
  amount: 200_000n,
  secretHash: hashSecret(secret),
  timelock: 20n,
}
const to = walletAddress(initiator.publicKey, regtest)
const deposits = [0, 1].map((vout) => ({ id: `${'ab'.repeat(32)}:${vout}`, amount: 100_000n }))
const refunds = deposits.map(({ id, amount }) => ({ deposit: id, amount, to, pays: amount - 1_000n }))
const refundAbility = instantRefundSigning(regtest)
const cosign = cosigning(regtest)
const items = [{ terms, deposits, secret }]
const badRequest = expect.objectContaining({ name: 'TandemError', code: 'bad_request' })
const refused = expect.objectContaining({ name: 'TandemError', code: expect.stringMatching(/^(bad_request|invalid_signature)$/) })

type Change = (value: never) => unknown
const changed = (payload: string, change: Change) => JSON.stringify(change(JSON.parse(payload) as never))
const spoiledHex: readonly ((hex: string) => unknown)[] = [
  (hex) => hex.slice(2),
  (hex) => `${hex}00`,
  (hex) => hex.toUpperCase(),
  (hex) => hex.replace(/.$/, 'x'),
  () => '',
  () => null,
  (hex) => [hex],
]
const spoiledTexts = ['', 'nonsense', '{', 'null', '1', '"text"', '{}', '[]']

describe('an offer', () => {
  const { offer } = refundAbility.begin(terms, refunds, initiator)
  const [cosignOffer = ''] = cosign.cosign([{ terms, deposits, signer: initiator }]).offers
  const spoiled = [
    ...spoiledTexts,
    ...spoiledHex.map((spoil) => changed(offer, (nonces: readonly string[]) => nonces.map(spoil))),
    changed(offer, (nonces: readonly string[]) => nonces.slice(1)),
    changed(offer, (nonces: readonly string[]) => [...nonces, ...nonces]),
    // 66 bytes that are not two points.
    changed(offer, (nonces: readonly string[]) => nonces.map(() => 'ff'.repeat(66))),
    changed(offer, (nonces: readonly string[]) => nonces.map(() => '00'.repeat(66))),
  ]

  it('is answered if it is valid', () => {
    expect(() => refundAbility.answer(terms, refunds, offer, redeemer)).not.toThrow()
    expect(() => cosign.draft(2_000n, [{ terms, deposits, secret, offer: cosignOffer }], redeemer)).not.toThrow()
  })

  it.each(spoiled)('is refused as %s', (payload) => {
    let signed = 0
    const sign = () => {
      signed += 1
      return new Uint8Array(32)
    }
    const watched = { ...redeemer, startMusig: () => ({ ...redeemer.startMusig(), sign }) }
    expect(() => refundAbility.answer(terms, refunds, payload, watched)).toThrow(badRequest)
    expect(() => cosign.draft(2_000n, [{ terms, deposits, secret, offer: payload }], watched)).toThrow(badRequest)
    expect(signed).toBe(0)
  })
})

describe('an answer to an offer', () => {
  const answered = () => {
    const session = refundAbility.begin(terms, refunds, initiator)
    return { session, answer: refundAbility.answer(terms, refunds, session.offer, redeemer) }
  }

  it('completes the refunds', () => {
    const { session, answer } = answered()
    expect(session.finish(answer)).toHaveLength(2)
  })

  it.each<[string, (payload: string) => string]>([
    ...spoiledTexts.map((text): [string, () => string] => [text, () => text]),
    ...(['nonce', 'signature'] as const).flatMap((field) =>
      spoiledHex.map((spoil, index): [string, (payload: string) => string] => [
        `a ${field} spoiled in way ${index}`,
        (payload) =>
          changed(payload, (parts: readonly Record<string, string>[]) =>
            parts.map((part) => ({ ...part, [field]: spoil(part[field] ?? '') })),
          ),
      ]),
    ),
    ['one part', (payload) => changed(payload, (parts: readonly unknown[]) => parts.slice(1))],
    ['three parts', (payload) => changed(payload, (parts: readonly unknown[]) => [...parts, parts[0]])],
    ['parts in another sequence', (payload) => changed(payload, (parts: readonly unknown[]) => parts.toReversed())],
  ])('is refused as %s', (_, change) => {
    const { session, answer } = answered()
    expect(() => session.finish(change(answer))).toThrow(refused)
  })
})

describe("the redeemer's own signatures", () => {
  const payload = refundAbility.sign(terms, refunds, redeemer)
  const signatures = refundAbility
    .hashes(terms, refunds)
    .map((hash) => `${Buffer.from(initiator.signSchnorr(Buffer.from(hash, 'hex'))).toString('hex')}83`)

  it('complete the refunds together with those of the initiator', () => {
    expect(refundAbility.combine(terms, refunds, { initiator: signatures, redeemer: payload })).toHaveLength(2)
  })

  it.each([
    ...spoiledTexts,
    ...spoiledHex.map((spoil) => changed(payload, (list: readonly string[]) => list.map(spoil))),
    changed(payload, (list: readonly string[]) => list.slice(1)),
    changed(payload, (list: readonly string[]) => list.toReversed()),
    changed(payload, (list: readonly string[]) => [...list, ...list]),
  ])('are refused as %s', (spoiled) => {
    expect(() => refundAbility.combine(terms, refunds, { initiator: signatures, redeemer: spoiled })).toThrow(refused)
  })

  it('are refused with fewer signatures of the initiator', () => {
    expect(() => refundAbility.combine(terms, refunds, { initiator: signatures.slice(0, 1), redeemer: payload })).toThrow(refused)
  })
})

describe('a draft', () => {
  const drafted = () => {
    const session = cosign.cosign([{ terms, deposits, signer: initiator }])
    const [offer = ''] = session.offers
    return { session, draft: cosign.draft(2_000n, [{ terms, deposits, secret, offer }], redeemer) }
  }
  type Draft = { readonly transaction: string; readonly inputs: readonly Record<string, string>[] }

  it('becomes a transaction that the redeemer accepts', () => {
    const { session, draft } = drafted()
    const { transaction, deposits: spent } = session.finish(draft)
    expect(spent).toEqual(deposits.map(({ id }) => id))
    expect(() => cosign.verify(transaction, items, redeemer)).not.toThrow()
    expect(() => cosign.verify(transaction.toUpperCase(), items, redeemer)).toThrow(badRequest)
    expect(() => cosign.verify('x', items, redeemer)).toThrow(badRequest)
    expect(() => cosign.verify(`${transaction}${'00'.repeat(100_000)}`, items, redeemer)).toThrow(badRequest)
  })

  it.each<[string, (payload: string) => string]>([
    ...spoiledTexts.map((text): [string, () => string] => [text, () => text]),
    ...spoiledHex.map((spoil, index): [string, (payload: string) => string] => [
      `a transaction spoiled in way ${index}`,
      (payload) => changed(payload, (draft: Draft) => ({ ...draft, transaction: spoil(draft.transaction) })),
    ]),
    ...(['nonce', 'signature', 'deposit'] as const).flatMap((field) =>
      spoiledHex
        // A deposit id may be any text here: a wrong one is refused when it is compared.
        .map((spoil, index): [string, (payload: string) => string] => [
          `a ${field} spoiled in way ${index}`,
          (payload) =>
            changed(payload, (draft: Draft) => ({
              ...draft,
              inputs: draft.inputs.map((input) => ({ ...input, [field]: spoil(input[field] ?? '') })),
            })),
        ]),
    ),
    [
      'one with 251 inputs',
      (payload) => changed(payload, (draft: Draft) => ({ ...draft, inputs: Array.from({ length: 251 }, () => draft.inputs[0]) })),
    ],
  ])('is refused as %s', (_, change) => {
    const { session, draft } = drafted()
    expect(() => session.finish(change(draft))).toThrow(refused)
  })
})
