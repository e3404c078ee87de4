/** Tests sending on the local chain: no escrow is paid twice, whatever happens to a transaction. */
import { readSwap } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { failureOf } from '@tandem/chain-kit/testing/run.fixture.ts'
import { createKey, randomPrivateKey } from '@tandem/keys/keyring.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { XRP } from '../local/xrpl.fixture.ts'
import { xrpl } from './index.ts'
import { startTestProvider } from './nodes/provider.fixture.ts'
import { createFamilyFixture } from './xrpl.fixture.ts'

const fixture = await createFamilyFixture()
const { devnet, user, solver } = fixture
const { chain } = devnet
const client = fixture.connect()
const outbox = createMemoryOutbox(solver.key)
afterAll(async () => {
  await client.close()
  await fixture.close()
})
afterEach(() => {
  chain.faults.congest(null)
  chain.faults.showLedgers()
})

const DEPOSIT_AUTH = 9
/** A transaction lives for fewer ledgers. */
const LIFETIME = 21

function termsOf(over: Partial<HtlcTerms> = {}): { readonly terms: HtlcTerms; readonly secret: string } {
  const secret = createSecret()
  const parties = { initiator: solver.address, redeemer: user.address }
  return {
    secret,
    terms: { asset: fixture.asset.id, amount: 5n * XRP, timelock: 600n, secretHash: hashSecret(secret), ...parties, ...over },
  }
}

const keyOf = ({ secretHash }: HtlcTerms, verb = 'initiate') => `${secretHash}/${verb}`
const initiate = (terms: HtlcTerms) => client.initiate(terms, outbox.open(keyOf(terms)))
const attemptsOf = (terms: HtlcTerms) => outbox.attempts(keyOf(terms))
const depositsOf = async (terms: HtlcTerms) => (await readSwap(client, terms, 2n)).swap.deposits
const spendOf = async (terms: HtlcTerms) => ({ deposits: await depositsOf(terms), to: null })

describe('an initiation', () => {
  test('that expired is signed again with the same sequence, and pays once', async () => {
    const { terms } = termsOf()
    chain.faults.drop(1)
    const lost = await initiate(terms)
    chain.mine(LIFETIME - 2)
    expect(await initiate(terms)).toBe(lost)
    chain.faults.evict(lost)
    chain.mine(2)
    const sent = await initiate(terms)
    expect(sent).not.toBe(lost)
    expect(attemptsOf(terms).map(({ nonce }) => nonce)).toEqual([attemptsOf(terms)[0]?.nonce, attemptsOf(terms)[0]?.nonce])
    chain.mine()
    const deposits = await depositsOf(terms)
    expect(deposits).toMatchObject([{ tx: sent }])
    // The timelock of the escrow counts from the second signature.
    expect(deposits[0]?.unitsLeft).toBeGreaterThan(588n)
  })

  test('that was validated long ago is found, not repeated', async () => {
    const { terms } = termsOf()
    const sent = await initiate(terms)
    chain.mine(LIFETIME * 2)
    expect(await initiate(terms)).toBe(sent)
    expect(attemptsOf(terms)).toHaveLength(1)
  })

  test('whose sequence another transaction used is signed again once the ledgers prove that it is in none', async () => {
    const { terms } = termsOf()
    chain.faults.drop(1)
    const lost = await initiate(terms)
    solver.send({ TransactionType: 'AccountSet' })
    chain.mine()
    const { height } = await client.tip()
    // The node lacks one of the ledgers that the transaction could be in.
    chain.faults.hideLedgers(Number(height) - 1, Number(height) - 1)
    expect(await failureOf(initiate(terms))).toBe('unreachable')
    expect(attemptsOf(terms)).toHaveLength(1)
    chain.faults.showLedgers()
    const sent = await initiate(terms)
    expect(sent).not.toBe(lost)
    chain.mine()
    expect(await depositsOf(terms)).toMatchObject([{ tx: sent }])
  })

  test('is replaced in the queue of a full ledger at a higher fee, with the same sequence', async () => {
    const { terms } = termsOf()
    const waiting = await initiate(terms)
    chain.faults.evict(waiting)
    chain.faults.congest(15n)
    expect(await initiate(terms)).toBe(waiting)
    outbox.passSeconds(fixture.chain.feeBumpSeconds)
    chain.mine()
    const sent = await initiate(terms)
    const [first, second] = attemptsOf(terms)
    expect(second).toMatchObject({ tx: sent, nonce: first?.nonce })
    expect((second?.feeRate ?? 0n) * 4n).toBeGreaterThan((first?.feeRate ?? 0n) * 5n)
    chain.mine()
    expect(await depositsOf(terms)).toMatchObject([{ tx: sent }])
  })

  test('that its account cannot pay with its reserve is not signed, and says how much is needed', async () => {
    const poor = fixture.openParty(7n * XRP)
    const own = createMemoryOutbox(poor.key)
    const { terms } = termsOf({ initiator: poor.address, amount: 6n * XRP })
    // The account needs 6 XRP, 0.2 XRP for the reserve of the escrow, and the fee.
    const failure = {
      kind: 'would-fail',
      message: expect.stringMatching(/holds 6000000 of drops above its reserve, needs 62000\d\d with all fees/),
    }
    await expect(client.initiate(terms, own.open('poor'))).rejects.toMatchObject(failure)
    const { terms: others } = termsOf({ initiator: fixture.openParty(0n).address })
    await expect(client.initiate(others, own.open('poor'))).rejects.toThrow('the key of')
    expect(own.attempts('poor')).toEqual([])
  })

  test('of a key without an account is not signed', async () => {
    const key = createKey(xrpl.curve, randomPrivateKey(xrpl.curve))
    const own = createMemoryOutbox(key)
    const { terms } = termsOf({ initiator: client.addressOf(key) })
    await expect(client.initiate(terms, own.open('new'))).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringMatching(/does not exist/),
    })
    expect(own.attempts('new')).toEqual([])
  })
})

describe('a redeem', () => {
  test('that the ledger refuses is reported, and not taken for a payment', async () => {
    const closing = fixture.openParty(100n * XRP)
    const { terms, secret } = termsOf({ redeemer: closing.address })
    await initiate(terms)
    chain.mine()
    // The transaction is in the open ledger, where no check of ours sees it.
    closing.send({ TransactionType: 'AccountSet', SetFlag: DEPOSIT_AUTH })
    const redeem = async () => client.redeem(terms, { ...(await spendOf(terms)), secret }, outbox.open(keyOf(terms, 'redeem')))
    const failed = await redeem()
    chain.mine()
    await expect(redeem()).rejects.toMatchObject({
      kind: 'would-fail',
      revertedTx: failed,
      message: expect.stringMatching(/DepositAuth.*\(tecNO_PERMISSION\)/),
    })
    expect(outbox.reverted).toContain(failed)
    expect((await readSwap(client, terms, 2n)).swap.phase).toBe('initiated')
  })

  test('shows its secret to no node before it is recorded', async () => {
    const { terms, secret } = termsOf()
    await initiate(terms)
    chain.mine()
    const provider = await startTestProvider(chain)
    const watching = fixture.connect({ endpoints: { ws: [provider.url] } })
    const spend = { ...(await spendOf(terms)), secret }
    await expect(watching.redeem(terms, spend, outbox.open(keyOf(terms, 'redeem'), { fault: 'lost-lease' }))).rejects.toThrow('lost-lease')
    expect(provider.asked).not.toContain('submit')
    await watching.redeem(terms, spend, outbox.open(keyOf(terms, 'redeem')))
    expect(provider.asked).toContain('submit')
    chain.mine()
    await Promise.all([watching.close(), provider.close()])
  })

  test('of an escrow of somebody else, or with other terms, is refused', async () => {
    const { terms, secret } = termsOf()
    const other = termsOf()
    await initiate(terms)
    await initiate(other.terms)
    chain.mine()
    const redeem = async (deposits: readonly { readonly id: string; readonly amount: bigint }[]) =>
      client.redeem(terms, { deposits, to: null, secret }, outbox.open(keyOf(terms, 'redeem')))
    const [foreign] = await depositsOf(other.terms)
    await expect(redeem(foreign === undefined ? [] : [foreign])).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringMatching(/has other terms/),
    })
    await expect(redeem([{ id: `${user.address}:7`, amount: 1n }])).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringMatching(/is not of/),
    })
    await expect(redeem([])).rejects.toMatchObject({ kind: 'would-fail', message: expect.stringMatching(/0 are asked for/) })
    expect(outbox.attempts(keyOf(terms, 'redeem'))).toEqual([])
  })
})

test('two escrows of one swap are refunded one after the other', async () => {
  const { terms } = termsOf({ initiator: user.address, redeemer: solver.address })
  const { time } = await client.tip()
  const funding = await client.funding({ terms, deadline: time, payer: null, approval: 'exact' })
  if (funding.kind !== 'escrow') throw new Error('expected an escrow')
  const { destination: Destination, condition: Condition, cancelAfter: CancelAfter } = funding
  const escrow = { TransactionType: 'EscrowCreate', Destination, Condition, CancelAfter, Amount: terms.amount.toString() }
  for (const _ of [1, 2]) user.send(escrow)
  chain.mine()
  const deposits = await depositsOf(terms)
  expect(deposits).toHaveLength(2)
  const before = devnet.balance(user.address)
  // Anyone may cancel: here it is the solver's key.
  const refund = () => client.refund(terms, { deposits, to: null }, outbox.open(keyOf(terms, 'refund')))
  expect(await failureOf(refund())).toBe('would-fail')
  chain.passSeconds(601)
  const first = await refund()
  expect(await refund()).toBe(first)
  chain.mine()
  const second = await refund()
  expect(second).not.toBe(first)
  chain.mine()
  expect((await depositsOf(terms)).map(({ spend }) => spend?.tx).sort()).toEqual([first, second].sort())
  expect(devnet.balance(user.address)).toBe(before + 2n * terms.amount)
})
