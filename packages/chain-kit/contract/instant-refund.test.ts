import { createEd25519Key } from '@tandem/keys/ed25519.ts'
import { testPurpose } from '@tandem/keys/keys.fixture.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { InstantRefund } from '@tandem/protocol/order.ts'
import { describe, expect, it } from 'vitest'
import { createMemoryOutbox } from '../testing/outbox.fixture.ts'
import { createInstantRefund } from './instant-refund.ts'

const key = createEd25519Key('01'.repeat(32))
const redeemer = Buffer.from(key.publicKey).toString('hex')
const terms: HtlcTerms = { asset: 'fake:coin', initiator: 'Alice', redeemer, amount: 7n, timelock: 9n, secretHash: '00'.repeat(32) }
const refund: InstantRefund = { deposit: 'swap of Alice', amount: 7n, to: 'Alice', pays: 7n }

const sent: string[] = []
const ability = createInstantRefund<string>({
  swapIdOf: ({ initiator }) => `swap of ${initiator}`,
  partiesOf: ({ initiator, ...parties }) => ({ initiator: initiator.toLowerCase(), redeemer: parties.redeemer }),
  accountOf: ({ publicKey }) => Buffer.from(publicKey).toString('hex'),
  consent: async () => 'consent',
  async readConsent(_, text) {
    if (text !== 'consent') throw new TandemError('invalid_signature', 'no consent')
    return 'parsed'
  },
  async send(_, consent) {
    sent.push(consent)
    return 'tx'
  },
})
const combine = (refunds: readonly InstantRefund[], signatures = { initiator: [] as readonly string[], redeemer: 'consent' }) =>
  ability.combine(terms, refunds, signatures)
const send = (refunds: readonly InstantRefund[], signature = 'consent') =>
  ability.send(
    terms,
    refunds.map((one) => ({ ...one, signature })),
    createMemoryOutbox(key).open('refund'),
  )

const wrong: readonly (readonly [what: string, refunds: readonly InstantRefund[]])[] = [
  ['nothing', []],
  ['a refund twice', [refund, refund]],
  ['another deposit', [{ ...refund, deposit: 'swap of Bob' }]],
  ['another amount', [{ ...refund, amount: 8n }]],
  ['a smaller payment', [{ ...refund, pays: 6n }]],
  ['a larger payment', [{ ...refund, pays: 8n }]],
  ['another payee', [{ ...refund, to: 'Bob' }]],
]

it('proposes to pay the whole deposit to the initiator, if there is one', async () => {
  const spend = { deposits: [{ id: 'swap of Alice', amount: 7n }], to: 'ALICE' }
  expect(await ability.propose(terms, spend, 'apart')).toEqual([refund])
  expect(await ability.propose(terms, { ...spend, deposits: [{ id: 'stray', amount: 7n }] }, 'apart')).toEqual([])
  await expect(ability.propose(terms, { ...spend, to: 'Bob' }, 'apart')).rejects.toMatchObject({ kind: 'would-fail' })
})

describe.each(wrong)('%s', (_, refunds) => {
  it('is neither signed, combined nor sent', async () => {
    const refused = { code: 'bad_request', message: 'expected one refund: of swap of Alice, which pays 7 to Alice' }
    await expect(ability.sign(terms, refunds, key.signerFor(testPurpose))).rejects.toMatchObject(refused)
    await expect(combine(refunds)).rejects.toMatchObject(refused)
    await expect(send(refunds)).rejects.toMatchObject({ kind: 'would-fail' })
    expect(sent).toEqual([])
  })
})

it('only the redeemer consents', async () => {
  expect(await ability.sign(terms, [refund], key.signerFor(testPurpose))).toBe('consent')
  const other = createEd25519Key('02'.repeat(32)).signerFor(testPurpose)
  await expect(ability.sign(terms, [refund], other)).rejects.toThrow('only the redeemer consents')
})

it('the initiator signs nothing', async () => {
  expect(await combine([{ ...refund, to: 'ALICE' }])).toEqual([{ ...refund, to: 'ALICE', signature: 'consent' }])
  await expect(combine([refund], { initiator: ['me too'], redeemer: 'consent' })).rejects.toMatchObject({ code: 'bad_request' })
  await expect(combine([refund], { initiator: [], redeemer: '' })).rejects.toMatchObject({ code: 'invalid_signature' })
})

it('a refund is sent with a consent that was read again', async () => {
  await expect(send([refund], 'forged')).rejects.toMatchObject({ kind: 'would-fail', message: 'instant refund: no consent' })
  expect(sent).toEqual([])
  expect(await send([refund])).toBe('tx')
  expect(sent).toEqual(['parsed'])
})
