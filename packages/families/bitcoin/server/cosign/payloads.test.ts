// Tests that a malformed payload of the other party is refused with the reason before anything is signed.
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { describe, expect, it } from 'vitest'
import { walletAddress } from '../../terms/script/address.ts'
import { identityOf } from '../../terms/script/user-key.ts'
import { randomSigner, regtest } from '../bitcoin.fixture.ts'
import { cosigning, instantRefundSigning, refundCosigning } from './cosign-abilities.ts'
import { instantRefundHashes } from './instant-refund.ts'
import { jobs } from './signing-jobs.ts'

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
const refundAbility = { ...instantRefundSigning(regtest), ...refundCosigning(regtest) }
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
  const offer = jobs.beginRefund([initiator], regtest, terms, refunds)
  const [cosignOffer = ''] = jobs.beginCosigning([initiator], regtest, [{ terms, deposits }])
  const spoiled = [
    ...spoiledTexts,
    ...spoiledHex.map((spoil) => changed(offer, (nonces: readonly string[]) => nonces.map(spoil))),
    changed(offer, (nonces: readonly string[]) => nonces.slice(1)),
    changed(offer, (nonces: readonly string[]) => [...nonces, ...nonces]),
    changed(offer, (nonces: readonly string[]) => nonces.map(() => 'ff'.repeat(66))),
    changed(offer, (nonces: readonly string[]) => nonces.map(() => '00'.repeat(66))),
  ]

  it('is answered if it is valid', async () => {
    expect(await refundAbility.answer(terms, refunds, offer, redeemer)).toMatch(/signature/)
    expect(await cosign.draft(2_000n, [{ terms, deposits, secret, offer: cosignOffer }], redeemer)).toMatch(/transaction/)
  })

  it.each(spoiled)('is refused as %s', async (payload) => {
    await expect(refundAbility.answer(terms, refunds, payload, redeemer)).rejects.toThrow(badRequest)
    await expect(cosign.draft(2_000n, [{ terms, deposits, secret, offer: payload }], redeemer)).rejects.toThrow(badRequest)
  })

  it.each(spoiled)('is refused before anything is signed, as %s', (payload) => {
    let signed = 0
    const sign = () => {
      signed += 1
      return new Uint8Array(32)
    }
    const watched = { ...redeemer, startMusig: () => ({ ...redeemer.startMusig(), sign }) }
    expect(() => jobs.answerRefund([watched], regtest, terms, refunds, payload)).toThrow(badRequest)
    expect(() => jobs.draft([watched], regtest, [{ terms, deposits, offer: payload }], 2_000n)).toThrow(badRequest)
    expect(signed).toBe(0)
  })
})

describe('an answer to an offer', () => {
  const answered = async () => {
    const session = await refundAbility.begin(terms, refunds, initiator)
    return { session, answer: await refundAbility.answer(terms, refunds, session.offer, redeemer) }
  }

  it('completes the refunds', async () => {
    const { session, answer } = await answered()
    expect(await session.finish(answer)).toHaveLength(2)
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
  ])('is refused as %s', async (_, change) => {
    const { session, answer } = await answered()
    await expect(session.finish(change(answer))).rejects.toThrow(refused)
  })
})

describe("the redeemer's own signatures", () => {
  const payload = jobs.signRefunds([redeemer], regtest, terms, refunds)
  const signatures = instantRefundHashes(regtest, terms, refunds).map(
    (hash) => `${Buffer.from(initiator.signSchnorr(Buffer.from(hash, 'hex'))).toString('hex')}83`,
  )

  it('complete the refunds together with those of the initiator', async () => {
    expect(await refundAbility.combine(terms, refunds, { initiator: signatures, redeemer: payload })).toHaveLength(2)
  })

  it.each([
    ...spoiledTexts,
    ...spoiledHex.map((spoil) => changed(payload, (list: readonly string[]) => list.map(spoil))),
    changed(payload, (list: readonly string[]) => list.slice(1)),
    changed(payload, (list: readonly string[]) => list.toReversed()),
    changed(payload, (list: readonly string[]) => [...list, ...list]),
  ])('are refused as %s', async (spoiled) => {
    await expect(refundAbility.combine(terms, refunds, { initiator: signatures, redeemer: spoiled })).rejects.toThrow(refused)
  })

  it('are refused with fewer signatures of the initiator', async () => {
    await expect(refundAbility.combine(terms, refunds, { initiator: signatures.slice(0, 1), redeemer: payload })).rejects.toThrow(refused)
  })
})

describe('a draft', () => {
  const drafted = async () => {
    const session = await cosign.cosign([{ terms, deposits, signer: initiator }])
    const [offer = ''] = session.offers
    return { session, draft: await cosign.draft(2_000n, [{ terms, deposits, secret, offer }], redeemer) }
  }
  type Draft = { readonly transaction: string; readonly inputs: readonly Record<string, string>[] }

  it('becomes a transaction that the redeemer accepts', async () => {
    const { session, draft } = await drafted()
    const { transaction, deposits: spent } = await session.finish(draft)
    expect(spent).toEqual(deposits.map(({ id }) => id))
    await cosign.verify(transaction, items, redeemer)
    await expect(cosign.verify(transaction.toUpperCase(), items, redeemer)).rejects.toThrow(badRequest)
    await expect(cosign.verify('x', items, redeemer)).rejects.toThrow(badRequest)
    await expect(cosign.verify(`${transaction}${'00'.repeat(100_000)}`, items, redeemer)).rejects.toThrow(badRequest)
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
  ])('is refused as %s', async (_, change) => {
    const { session, draft } = await drafted()
    await expect(session.finish(change(draft))).rejects.toThrow(refused)
  })
})
