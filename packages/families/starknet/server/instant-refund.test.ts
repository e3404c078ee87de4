/** These tests show what a consent to an instant refund counts for, and what a redeemer's account can cost us. */

import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { createKey, randomPrivateKey } from '@tandem/keys/keyring.ts'
import { testPurpose } from '@tandem/keys/keys.fixture.ts'
import { createStarkKey } from '@tandem/keys/stark.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { selectorOf } from '../contract/client/felt.ts'
import { refundTypedData } from '../contract/client/typed-data.ts'
import { trueAccountClass } from '../local/classes/other-accounts.ts'
import { feltOf } from '../terms/address.ts'
import { type Contracts, type HtlcContract, orderTermsOf, refundDigestOf, swapIdOf } from '../terms/htlc.ts'
import { openExecutor } from './executor.fixture.ts'
import { starknet } from './index.ts'
import { createInstantRefund } from './instant-refund.ts'
import type { GasAmounts, NodeCall, Outcome, StarknetNode } from './nodes/node.ts'
import { starknetSigning } from './signing.ts'
import { createFamilyFixture, type TestParty } from './starknet.fixture.ts'

const fixture = await createFamilyFixture()
const { contract, user, solver } = fixture
const client = fixture.connect()
const { instantRefund } = client
if (instantRefund === undefined) throw new Error('the client lacks the ability instantRefund')
afterAll(async () => {
  await client.close()
  await fixture.close()
})

function termsOf(redeemer: string = solver.account): HtlcTerms {
  const secretHash = hashSecret(createSecret())
  return { asset: fixture.asset.id, initiator: user.account, redeemer, amount: 20_000n, timelock: 600n, secretHash }
}

const refundsOf = (terms: HtlcTerms) => [
  { deposit: swapIdOf(contract, terms), amount: terms.amount, to: terms.initiator, pays: terms.amount },
]
const combine = (terms: HtlcTerms, redeemer: string) => instantRefund.combine(terms, refundsOf(terms), { initiator: [], redeemer })
/** starknet.js signs, as a solver with its own wallet does. */
const consentOf = (terms: HtlcTerms, { by = solver, at = contract, ...change }: { by?: TestParty; at?: HtlcContract; domain?: object }) =>
  fixture.sign(by, { ...refundTypedData(at, orderTermsOf(terms)), ...change })

describe('a consent', () => {
  it('counts for one order, contract and chain only, and is of the redeemer', async () => {
    const terms = termsOf()
    const { domain } = refundTypedData(contract, orderTermsOf(terms))
    for (const consent of [
      consentOf(termsOf(), {}),
      consentOf(terms, { domain: { ...domain, chainId: '0x534e5f5345504f4c4941' } }),
      consentOf(terms, { at: { ...contract, address: '0x77' } }),
      consentOf(terms, { by: user }),
    ])
      await expect(combine(terms, consent)).rejects.toMatchObject({
        code: 'invalid_signature',
        message: expect.stringMatching(/does not accept/),
      })
    expect(await combine(terms, consentOf(terms, {}))).toHaveLength(1)
  })

  it('is not given, nor accepted, while the account of the redeemer is not deployed', async () => {
    const key = createKey(starknet.curve, randomPrivateKey(starknet.curve))
    const terms = termsOf(client.addressOf(key))
    const absent = { code: 'conflict', message: expect.stringMatching(/is not deployed, so it cannot consent/) }
    await expect(instantRefund.sign(terms, refundsOf(terms), key.signerFor(testPurpose))).rejects.toMatchObject(absent)
    const signature = await starknetSigning.sign('refundConsent', key.signerFor(testPurpose), contract, terms)
    await expect(combine(terms, signature.join())).rejects.toMatchObject(absent)
  })
})

describe('while a consent is given', async () => {
  const { node, contract: htlc, user: redeemer, executor, termsFor } = await openExecutor()
  const contracts = { of: () => htlc } as unknown as Contracts
  const accountClass = (await node.classHashAt(feltOf(redeemer.address))) ?? ''
  const signer = redeemer.key.signerFor(testPurpose)
  const abilityOn = (changes: Partial<StarknetNode>) =>
    createInstantRefund({ node: { ...node, ...changes }, contracts, executor, accountClass })
  const terms = termsFor(createSecret())
  const refunds = [{ deposit: swapIdOf(htlc, terms), amount: terms.amount, to: terms.initiator, pays: terms.amount }]

  it('no node sees it: the solver has not committed to the refund yet, and may still pay', async () => {
    const seen: NodeCall[] = []
    const watching = abilityOn({
      call: (call) => {
        seen.push(call)
        return node.call(call)
      },
    })
    const consent = await watching.sign(terms, refunds, signer)
    expect(await watching.combine(terms, refunds, { initiator: [], redeemer: consent })).toHaveLength(1)
    const [question, verification, ...others] = seen.map(({ calldata }) => calldata)
    expect(others).toEqual([])
    expect(verification).toEqual([refundDigestOf(htlc, terms), '0x2', ...consent.split(',')])
    // What the node saw before is a signature of something else, and counts for no refund.
    const [asked, , ...shown] = question ?? []
    expect(asked).not.toBe(refundDigestOf(htlc, terms))
    for (const part of consent.split(',')) expect(shown).not.toContain(part)
    await expect(abilityOn({}).combine(terms, refunds, { initiator: [], redeemer: shown.join() })).rejects.toMatchObject({
      code: 'invalid_signature',
    })
  })

  it('the account must accept signatures of the key: one that does not count would only cost the user the swap', async () => {
    const refusing = abilityOn({ call: async () => ['0x0'] })
    await expect(refusing.sign(terms, refunds, signer)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/does not accept signatures of its key/),
    })
  })
})

it('the refund of a redeemer whose account we do not know is charged at the most that we pay for', async () => {
  const account = fixture.deployAccount(trueAccountClass.classHash, [], 0n)
  const [known, unknown] = await Promise.all([instantRefund.maxCost?.(termsOf()), instantRefund.maxCost?.(termsOf(account))])
  const { refund } = (await client.legCost?.(fixture.asset.id)) ?? {}
  expect(known).toBeGreaterThan(refund ?? 0n)
  expect(unknown).toBeGreaterThan((known ?? 0n) * 10n)
})

describe('a transaction', async () => {
  const { local, node, contract: htlc, user: redeemer, executor, executorWith, termsFor, stateOf, solver: initiator } = await openExecutor()
  const [, , third] = local.accounts
  const stranger = createStarkKey(third.privateKey.slice(2).padStart(64, '0'))
  const mine = () => local.chain.mine()

  async function open(): Promise<HtlcTerms> {
    const terms = termsFor(createSecret())
    await executor.initiate(htlc, terms, createMemoryOutbox(initiator.key).open('i'))
    mine()
    return terms
  }
  const signatureFor = (terms: HtlcTerms) => starknetSigning.sign('refundConsent', redeemer.key.signerFor(testPurpose), htlc, terms)
  const taking = (gas: Partial<GasAmounts>): Partial<StarknetNode> => ({
    estimate: async () => ({
      gas: { l1Gas: 0n, l1DataGas: 200n, l2Gas: 2_000_000n, ...gas },
      prices: { l1Gas: 1n, l1DataGas: 1n, l2Gas: 1n },
      fee: 1n,
    }),
  })

  it.each([
    ['L2 gas', { l2Gas: 60_000_001n }],
    ['L1 data gas', { l1DataGas: 4097n }],
    ['L1 gas', { l1Gas: 1n }],
  ])('is not paid for if the account of the redeemer takes too much %s, while the ordinary refund is', async (what, gas) => {
    const terms = await open()
    const outbox = createMemoryOutbox(stranger)
    const greedy = executorWith(taking(gas))
    await expect(greedy.refundInstantly(htlc, terms, await signatureFor(terms), outbox.open('f'))).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringMatching(new RegExp(`^refund: .* ${what}`)),
    })
    expect(outbox.attempts('f')).toEqual([])
    local.chain.passSeconds(601)
    await greedy.refund(htlc, terms, outbox.open('f'))
    expect(outbox.attempts('f')).toHaveLength(1)
    mine()
  })

  it('that reverts because the redeemer takes its consent back is tried less and less often, and never delays the refund after the timelock', async () => {
    const terms = await open()
    const outbox = createMemoryOutbox(stranger)
    const reverted = new Map<string, Outcome>()
    const on = executorWith({ outcome: async (tx) => reverted.get(tx) ?? node.outcome(tx) })
    const send = async () => on.refundInstantly(htlc, terms, await signatureFor(terms), outbox.open('f'))
    for (let times = 0; times < 2; times += 1) {
      // The transaction never changes anything, and its nonce is used.
      local.chain.faults.drop(1)
      reverted.set(await send(), { kind: 'reverted', reason: 'HTLC: invalid signature' })
      third.sender.execute([
        { to: BigInt(htlc.token), selector: BigInt(selectorOf('balance_of')), calldata: [BigInt(feltOf(redeemer.address))] },
      ])
    }
    expect(outbox.attempts('f')).toHaveLength(2)
    await expect(send()).rejects.toMatchObject({ kind: 'would-fail', message: expect.stringMatching(/2 transactions reverted/) })
    expect(outbox.attempts('f')).toHaveLength(2)
    local.chain.passSeconds(601)
    const tx = await on.refund(htlc, terms, outbox.open('f'))
    mine()
    expect(await stateOf(terms)).toBe('refunded')
    expect(await node.outcome(tx)).toMatchObject({ kind: 'succeeded' })
  })
})
