/** These tests show that the account decides about a signature, whatever class it has. A bad one is refused before a fee is paid. */

import { readSwap } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { typedData as sdkTypedData } from 'starknet'
import { afterAll, describe, expect, it } from 'vitest'
import { fieldPrime } from '../contract/client/felt.ts'
import {
  falseAccountClass,
  multisigAccountClass,
  panickingAccountClass,
  silentAccountClass,
  talkativeAccountClass,
  trueAccountClass,
} from '../local/classes/other-accounts.ts'
import { signHash } from '../local/transactions/invoke.ts'
import { approvalCallOf, typedDataOf } from '../terms/htlc.ts'
import { accountOf } from './account.ts'
import { createContractState } from './contract-state.ts'
import { createGasless } from './gasless.ts'
import { connectNode } from './nodes/connect-node.ts'
import { createOutsideExecutions } from './outside-execution/outside-execution.ts'
import { createFamilyFixture } from './starknet.fixture.ts'

const AMOUNT = 20_000n
const ANY = '1,2'

const fixture = await createFamilyFixture()
const { devnet, contract, user, solver } = fixture
const client = fixture.connect()
const { gasless } = client
if (gasless === undefined) throw new Error('the client lacks the ability gasless')
fixture.send(user, [approvalCallOf(contract, 10n ** 12n)])
devnet.chain.mine()
afterAll(async () => {
  await client.close()
  await fixture.close()
})

function termsOf(initiator: string = user.account): HtlcTerms {
  const secretHash = hashSecret(createSecret())
  return { asset: fixture.asset.id, initiator, redeemer: solver.account, amount: AMOUNT, timelock: 600n, secretHash }
}

const signed = (terms: HtlcTerms) => fixture.sign(user, typedDataOf(contract, terms))
const refused = (code: string, words: RegExp) => ({ name: 'TandemError', code, message: expect.stringMatching(words) })

async function relay(terms: HtlcTerms, signature: string, outbox = createMemoryOutbox(solver.key).open('i')): Promise<string> {
  const tx = await gasless?.initiate(terms, signature, outbox)
  devnet.chain.mine()
  return tx ?? ''
}

it('a payout is tried with our own account, not with that of the initiator', async () => {
  const terms = termsOf()
  await relay(terms, signed(terms))
  // There is no account that could make the calls.
  await client.verifyPayout({ ...terms, initiator: `0x${'1'.padStart(64, '0')}` }, null)
})

it('an account of a class that we do not know gets one relay at a time', async () => {
  const account = fixture.deployAccount(trueAccountClass.classHash, [], AMOUNT)
  expect(await gasless.limits?.(termsOf(account), ANY)).toEqual({ reverted: 1, unmined: 1 })
  expect(await gasless.limits?.(termsOf(), ANY)).toEqual({ reverted: 3, unmined: 3 })
})

describe('a signature', () => {
  it.each([
    ['decimal', (felts: readonly bigint[]) => felts.join(',')],
    ['hex, with spaces', (felts: readonly bigint[]) => felts.map((one) => `0x${one.toString(16).toUpperCase()}`).join(' , ')],
    ['hex with leading zeros, and decimal', ([r, s]: readonly bigint[]) => `0x${r?.toString(16).padStart(64, '0')},${s}`],
  ])('is accepted as %s numbers', async (_, form) => {
    const terms = termsOf()
    const signature = form(signed(terms).split(',').map(BigInt))
    await gasless.verify(terms, signature)
    await relay(terms, signature)
    expect((await readSwap(client, terms, 0n)).swap.phase).toBe('initiated')
  })

  it.each([
    ['a number outside of the field', `1,${fieldPrime}`, /number 2 of 2 is not below the prime/],
    ['no number', '1,,2', /number 2 of 3: expected a decimal number or hex/],
    ['a negative number', '-1,2', /number 1 of 2: expected a decimal/],
    ['a list in JSON', '["1","2"]', /expected a decimal/],
    ['too many numbers', Array.from({ length: 101 }, () => '1').join(','), /has 101 numbers, expected at most 100/],
    ['one number less', '1', /does not accept the signature/],
    ['one number more', '1,2,3', /does not accept the signature/],
  ])('with %s is refused by name', async (_, signature, words) => {
    await expect(gasless.verify(termsOf(), signature)).rejects.toMatchObject(refused('invalid_signature', words))
  })

  it('counts for one order, contract and chain only', async () => {
    const terms = termsOf()
    const over = (change: object) => fixture.sign(user, { ...typedDataOf(contract, terms), ...change })
    const { domain } = typedDataOf(contract, terms)
    for (const signature of [
      signed(termsOf()),
      over({ domain: { ...domain, chainId: '0x534e5f5345504f4c4941' } }),
      over({ domain: { ...domain, name: typedDataOf({ ...contract, address: '0x77' }, terms).domain.name } }),
      fixture.sign(solver, typedDataOf(contract, terms)),
    ])
      await expect(gasless.verify(terms, signature)).rejects.toMatchObject(refused('invalid_signature', /does not accept/))
    await gasless.verify(terms, over({}))
  })

  it('of an account that is not deployed is refused by name', async () => {
    const account = accountOf(user.key, '0x1234')
    await expect(gasless.verify(termsOf(account), ANY)).rejects.toMatchObject(refused('bad_request', /0x0\w+ is not deployed/))
  })
})

describe('an account', () => {
  it('with two keys signs with four numbers', async () => {
    const [first, second] = [user.sender, solver.sender]
    const account = fixture.deployAccount(multisigAccountClass.classHash, [first.publicKey, second.publicKey], AMOUNT)
    const both = (digest: bigint) => [...signHash(first.privateKey, digest), ...signHash(second.privateKey, digest)]
    fixture.executeAs(account, [approvalCallOf(contract, AMOUNT)], both)
    const terms = termsOf(account)
    const digest = BigInt(sdkTypedData.getMessageHash(JSON.parse(JSON.stringify(typedDataOf(contract, terms))), account))
    const signature = both(digest).map((one) => `0x${one.toString(16)}`)
    const half = gasless.verify(terms, signature.slice(0, 2).join())
    await expect(half).rejects.toMatchObject(refused('invalid_signature', /does not accept/))
    await gasless.verify(terms, signature.join())
    await relay(terms, signature.join())
    expect((await readSwap(client, terms, 0n)).swap.phase).toBe('initiated')
  })

  it.each([
    ['false', falseAccountClass],
    ['nothing', silentAccountClass],
    ['VALID twice', talkativeAccountClass],
    ['a panic', panickingAccountClass],
  ])('that answers %s has not signed: nothing is sent', async (_, { classHash }) => {
    const account = fixture.deployAccount(classHash, [], AMOUNT)
    fixture.executeAs(account, [approvalCallOf(contract, AMOUNT)], () => [])
    const before = await client.balance(fixture.chain.nativeAsset, solver.account)
    await expect(gasless.verify(termsOf(account), ANY)).rejects.toMatchObject(refused('invalid_signature', /does not accept/))
    await expect(relay(termsOf(account), ANY)).rejects.toMatchObject({ kind: 'would-fail' })
    expect(await client.balance(fixture.chain.nativeAsset, solver.account)).toBe(before)
  })

  it('that answers 1, as older ones do, has signed; one that lets a relay revert is not paid for again', async () => {
    const account = fixture.deployAccount(trueAccountClass.classHash, [], AMOUNT)
    fixture.executeAs(account, [approvalCallOf(contract, AMOUNT)], () => [])
    const terms = termsOf(account)
    await gasless.verify(terms, ANY)
    const outbox = createMemoryOutbox(solver.key)
    const tx = (await gasless.initiate(terms, ANY, outbox.open('i'))) ?? ''
    // The account's own transaction comes first and removes the allowance.
    fixture.executeAs(account, [approvalCallOf(contract, 0n)], () => [], 10n ** 12n)
    expect(await gasless.hasReverted?.(tx)).toBe(true)
    expect(await client.balance(fixture.asset.id, account)).toBe(AMOUNT)
    fixture.executeAs(account, [approvalCallOf(contract, AMOUNT)], () => [])
    await expect(gasless.initiate(terms, ANY, outbox.open('i'))).rejects.toMatchObject({
      kind: 'would-fail',
      refusal: expect.stringContaining('no more are paid for'),
    })
    expect(outbox.attempts('i')).toHaveLength(1)
  })
})

it.each([
  ['L2 gas', { l2Gas: 60_000_001n }, /not paid for.*60000001 L2 gas/],
  ['L1 data gas, for storage that its account writes', { l1DataGas: 4097n }, /not paid for.*4097 L1 data gas/],
  ['L1 gas, for messages that its account sends', { l1Gas: 1n }, /not paid for.* 1 L1 gas/],
])('a relay that takes too much %s is refused before it is paid for', async (_, much, reason) => {
  const node = connectNode(fixture.chain, { endpoints: { rpc: [devnet.url] } })
  const estimate = async () => ({
    gas: { l1Gas: 0n, l1DataGas: 1n, l2Gas: 1n, ...much },
    prices: { l1Gas: 1n, l1DataGas: 1n, l2Gas: 1n },
    fee: 1n,
  })
  const greedy = createGasless({
    node: { ...node, estimate },
    state: createContractState(node),
    contracts: fixture.contracts,
    executor: { relay: () => Promise.reject(new Error('relayed')) },
    outside: createOutsideExecutions({ node, state: createContractState(node), relay: solver.account }),
    relay: solver.account,
    accountClass: '0x1',
  })
  const terms = termsOf()
  await expect(greedy.verify(terms, signed(terms))).rejects.toMatchObject(refused('bad_request', reason))
  node.close()
})
