/** Tests which instant refunds a solver refuses. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { readAttempts } from '@tandem/party/store/actions/attempts.ts'
import { sightingsOf } from '@tandem/party/store/store.fixture.ts'
import { actionKey, type Order } from '@tandem/protocol/order.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { caller, orderRequest } from '../solver.fixture.ts'
import { type Refund, refundOf, refused, useRefundFixture } from './refunds.fixture.ts'
import { signInstantRefunds } from './sign-instant-refunds.ts'

const fixture = useRefundFixture()
const { agree, leaseInitiation, fund, initiate, ask, ways, nothingSigned } = fixture

describe('refuses with a conflict, and signs and records nothing', () => {
  test('while the initiation of the destination is wanted', async () => {
    const order = await agree()
    await fund(order)
    await leaseInitiation(order)
    await expect(ask(order)).rejects.toThrow(refused('conflict'))
    await nothingSigned(order)
    expect(await ways()).toEqual([])
  })

  test('once an initiation is signed, even if it is not wanted any more and no chain shows it', async () => {
    const order = await agree()
    await fund(order)
    expect(await initiate(order)).toMatchObject({ kind: 'sent' })
    await fixture.store.db.deleteFrom('commitments').execute()
    expect(await readAttempts(fixture.store.db, actionKey(order.id, 'destination', 'initiate'))).toHaveLength(1)
    await expect(ask(order)).rejects.toThrow(refused('conflict'))
    await nothingSigned(order)
    expect(await ways()).toEqual([])
  })

  test.each(['a block', 'the mempool'])('when the destination is in %s, even if the solver did not send it', async (where) => {
    const order = await agree()
    await fund(order)
    const deposit = sightingsOf(order.destination.swapId).initiated(order.destination.terms.amount)
    if (where === 'a block') fixture.solver.ethereum.mine(deposit)
    else fixture.solver.ethereum.mempool = [deposit]
    await expect(ask(order)).rejects.toThrow(refused('conflict'))
    await nothingSigned(order)
  })

  test('when the secret is public', async () => {
    const secret = createSecret()
    const order = await agree(orderRequest({ secret_hash: hashSecret(secret) }))
    await fund(order, 900_000n)
    fixture.solver.bitcoin.mempool = [sightingsOf(order.source.swapId).redeemed(secret)]
    await expect(ask(order, [refundOf(order, { amount: '900000' })])).rejects.toThrow(refused('conflict'))
    await nothingSigned(order)
  })
})

describe('refuses a wrong request', () => {
  let order: Order
  beforeEach(async () => {
    order = await agree()
    await fund(order, 900_000n)
  })
  const good = () => refundOf(order, { amount: '900000' })

  test.each<[string, () => readonly Refund[], string, RegExp]>([
    ['an unknown deposit', () => [{ ...good(), deposit: 'another' }], 'conflict', /sees no deposit/],
    ['one unknown deposit among others', () => [good(), { ...good(), deposit: 'another' }], 'conflict', /sees no deposit/],
    ['the same deposit twice', () => [good(), good()], 'bad_request', /more than once/],
    ['another amount', () => [{ ...good(), amount: '900001' }], 'bad_request', /900000, not 900001/],
    ['more than the deposit', () => [{ ...good(), pays: '900001' }], 'bad_request', /cannot pay/],
    ['an invalid address', () => [{ ...good(), to: 'nowhere' }], 'invalid_address', /nowhere/],
  ])('%s', async (_name, refunds, code, words) => {
    await expect(ask(order, refunds())).rejects.toThrow(refused(code, words))
    await nothingSigned(order)
  })

  test('a deposit of another order', async () => {
    const other = await agree()
    await fund(other, 800_000n)
    await expect(ask(order, [refundOf(other, { amount: '800000' })])).rejects.toThrow(refused('conflict', /sees no deposit/))
    await nothingSigned(order)
  })

  test('an unconfirmed or a spent deposit', async () => {
    const { initiated, refunded } = sightingsOf(order.source.swapId)
    fixture.solver.bitcoin.mempool = [{ ...initiated(5000n), deposit: 'fresh', tx: 'fresh' }]
    await expect(ask(order, [{ ...good(), deposit: 'fresh', amount: '5000', pays: '4000' }])).rejects.toThrow(
      refused('conflict', /no block/),
    )
    fixture.solver.bitcoin.mempool = []
    fixture.solver.bitcoin.mine(refunded())
    await expect(ask(order, [good()])).rejects.toThrow(refused('conflict', /is spent/))
    await nothingSigned(order)
  })

  test('an unknown order', async () => {
    await expect(signInstantRefunds(fixture.solver.context, '0'.repeat(64), { refunds: [good()], offer: null }, caller)).rejects.toThrow(
      refused('not_found'),
    )
  })

  test('a source chain without instant refunds', async () => {
    const client = { ...fixture.solver.bitcoin }
    delete client.instantRefund
    const clients = new Map(fixture.solver.context.clients).set(client.chain.id, client)
    await expect(
      signInstantRefunds({ ...fixture.solver.context, clients }, order.id, { refunds: [good()], offer: null }, caller),
    ).rejects.toThrow(refused('bad_request'))
  })

  test('any request while a chain does not answer: it may hide a payment', async () => {
    fixture.solver.ethereum.before.tip = () => {
      throw new ChainFailure('unreachable', 'silent')
    }
    await expect(ask(order, [good()])).rejects.toThrow(refused('chain_unavailable'))
    await nothingSigned(order)
  })

  test('any request while the source chain does not answer what has to be known for a signature', async () => {
    const { bitcoin, context } = fixture.solver
    const { instantRefund } = bitcoin
    if (instantRefund === undefined) throw new Error('the fake chain has instant refunds')
    const sign = () => Promise.reject(new ChainFailure('unreachable', 'silent'))
    const clients = new Map(context.clients).set(bitcoin.chain.id, { ...bitcoin, instantRefund: { ...instantRefund, sign } })
    await expect(signInstantRefunds({ ...context, clients }, order.id, { refunds: [good()], offer: null }, caller)).rejects.toThrow(
      refused('chain_unavailable'),
    )
    await nothingSigned(order)
  })
})
