/** These tests show what a consent to an instant refund counts for. The SDK signs, as wallets do. */

import { parseSerializedSignature } from '@mysten/sui/cryptography'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { testPurpose } from '@tandem/keys/keys.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { instantRefundMessage } from '../contract/client/order.ts'
import { swapIdOf } from '../terms/htlc.ts'
import { createFamilyFixture, type TestParty } from './sui.fixture.ts'

const SUI = 'sui_localnet:sui'

const fixture = await createFamilyFixture()
const { user, solver, devnet } = fixture
const client = fixture.connect()
const { instantRefund } = client
if (instantRefund === undefined) throw new Error('the client lacks the ability instantRefund')
const contract = fixture.contracts.of(SUI)
const twin = await fixture.createTwin(SUI)
const { deployment } = fixture.assetNamed(SUI)
const twinClient = fixture.connect({ assets: [{ ...fixture.assetNamed(SUI), deployment: { ...deployment, htlc: twin.registry } }] })
afterAll(async () => {
  await Promise.all([client.close(), twinClient.close()])
  await fixture.close()
})

function termsOf(): HtlcTerms {
  const secretHash = hashSecret(createSecret())
  return { asset: SUI, initiator: user.address, redeemer: solver.address, amount: 1_000_000_000n, timelock: 600_000n, secretHash }
}

type Place = Parameters<typeof swapIdOf>[0]

const refundsOf = (terms: HtlcTerms, at: Place = contract) => [
  { deposit: swapIdOf(at, terms), amount: terms.amount, to: terms.initiator, pays: terms.amount },
]
const combine = (terms: HtlcTerms, redeemer: string) => instantRefund.combine(terms, refundsOf(terms), { initiator: [], redeemer })
const walletConsent = async (terms: HtlcTerms, { by = solver, at = contract }: { by?: TestParty; at?: Place } = {}) =>
  (await by.keypair.signPersonalMessage(instantRefundMessage(at.registry, swapIdOf(contract, terms)))).signature

describe('a consent', () => {
  it('is the signature of a personal message, as wallets write it', async () => {
    const terms = termsOf()
    expect(await instantRefund.sign(terms, refundsOf(terms), solver.key.signerFor(testPurpose))).toBe(await walletConsent(terms))
  })

  it('counts for one order and registry only, and is of the redeemer', async () => {
    const terms = termsOf()
    for (const consent of [
      await walletConsent(termsOf()),
      await walletConsent(terms, { at: twin }),
      await walletConsent(terms, { by: user }),
      (await solver.keypair.signPersonalMessage(Uint8Array.of(1))).signature,
      (await solver.keypair.signTransaction(instantRefundMessage(contract.registry, swapIdOf(contract, terms)))).signature,
    ])
      await expect(combine(terms, consent)).rejects.toMatchObject({ code: 'invalid_signature' })
    expect(await combine(terms, await walletConsent(terms))).toHaveLength(1)
  })

  it('has one form', async () => {
    const consent = await walletConsent(termsOf())
    const { signature = new Uint8Array() } = parseSerializedSignature(consent)
    for (const other of ['', ` ${consent}`, `${consent}=`, consent.slice(0, -4), Buffer.from(signature).toString('base64'), `01${consent}`])
      await expect(combine(termsOf(), other)).rejects.toMatchObject({ code: 'bad_request' })
    const secp256k1 = Buffer.from(consent, 'base64')
    secp256k1[0] = 1
    await expect(combine(termsOf(), secp256k1.toString('base64'))).rejects.toMatchObject({ code: 'bad_request' })
  })
})

it('a consent for one registry refunds nothing at another, where the same terms are locked', async () => {
  const terms = termsOf()
  await twinClient.initiate(terms, createMemoryOutbox(user.key).open('i'))
  devnet.chain.mine()
  const outbox = createMemoryOutbox(user.key)
  const consent = await walletConsent(terms)
  const replayed = refundsOf(terms, twin).map((refund) => ({ ...refund, signature: consent }))
  await expect(twinClient.instantRefund?.send(terms, replayed, outbox.open('f'))).rejects.toMatchObject({ kind: 'would-fail' })
  expect(outbox.attempts('f')).toEqual([])
})
