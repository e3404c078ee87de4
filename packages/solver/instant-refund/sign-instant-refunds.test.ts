/** Tests which instant refunds a solver signs. */
import { setTimeout as sleep } from 'node:timers/promises'
import { orderPurpose } from '@tandem/keys/purpose.ts'
import type { FreshPolls } from '@tandem/party/engine/chain-watcher.ts'
import { reconcile } from '@tandem/party/engine/reconciler.ts'
import { readAction } from '@tandem/party/store/actions/actions.ts'
import { readCursor } from '@tandem/party/store/chain/events.ts'
import { findOrder } from '@tandem/party/store/orders/orders.ts'
import { isCommittedTo } from '@tandem/party/store/solver/commitments.ts'
import { NOW, sightingsOf } from '@tandem/party/store/store.fixture.ts'
import { actionKey, type Order } from '@tandem/protocol/order.ts'
import type { SolverOrderRequest } from '@tandem/protocol/wire/solver.ts'
import { answerOf, consentsOf, FAKE_OFFER } from '@tandem/service/testing/fake-chain.fixture.ts'
import { describe, expect, test, vi } from 'vitest'
import { btc, caller, fillFor, orderRequest, user, userKey, wbtc } from '../solver.fixture.ts'
import { createKeptAnswers } from './kept-answers.ts'
import { HOME, refundOf, refused, useRefundFixture } from './refunds.fixture.ts'
import { signInstantRefunds } from './sign-instant-refunds.ts'

const fixture = useRefundFixture()
const { agree, watch, fund, initiate, ask, ways, nothingSigned } = fixture

test('signs the refund of a deposit that it does not pay for, and records the commitment first', async () => {
  const order = await agree()
  await fund(order, 900_000n)
  const refund = refundOf(order, { amount: '900000' })
  const signed = { deposit: refund.deposit, amount: 900_000n, to: HOME, pays: 899_000n }
  const answer = consentsOf(order.source.terms, [signed])
  expect(await ask(order, [refund])).toEqual({ solver_id: 'the solver', answer })
  expect(await isCommittedTo(fixture.store.other, order.id, 'refund_signed')).toBe(true)
  expect((await findOrder(fixture.store.other, order.id))?.grants).toEqual([
    { kind: 'instant-refund', leg: 'source', refunds: [{ ...signed, signature: '' }], transaction: null },
  ])
  expect((await ask(order, [refund])).answer).toBe(answer)
})

test('reads the chain again for a deposit that is newer than its last poll', async () => {
  const order = await agree()
  await watch()
  const { solver, store } = fixture
  const pollsOf = (chain: string): FreshPolls => ({
    tookMs: 0,
    seen: () => [],
    async fresh(maxAgeMs) {
      if (maxAgeMs === 0) await watch()
      const tip = await readCursor(store.db, chain)
      return tip === null ? null : { tip, beganAtMs: performance.now() }
    },
  })
  const polls = new Map([...solver.context.clients.keys()].map((chain) => [chain, pollsOf(chain)]))
  Object.assign(solver.context, { polls })
  solver.bitcoin.mine(sightingsOf(order.source.swapId).initiated(900_000n))
  expect(await ask(order, [refundOf(order, { amount: '900000' })])).toBeTruthy()
})

test('signs with the key of the chain, and states order, leg and terms as the purpose', async () => {
  const order = await agree()
  await fund(order, 900_000n)
  const { instantRefund } = fixture.solver.bitcoin
  if (instantRefund === undefined) throw new Error('the fake has instant refunds')
  const signing = vi.spyOn(instantRefund, 'sign')
  await ask(order, [refundOf(order, { amount: '900000' })])
  const { chain, terms } = order.source
  const signers = signing.mock.calls.map(([, , signer]) => signer)
  const purpose = orderPurpose(chain, { order: order.id, leg: 'source', verb: 'instant-refund', terms })
  const { publicKey } = fixture.solver.context.keys.of(fixture.solver.bitcoin)
  expect(signers).toMatchObject([{ purpose, publicKey }])
  signing.mockRestore()
})

test("answers an offer with the solver's part of a joint signature", async () => {
  const order = await agree()
  await fund(order, 900_000n)
  const request = { refunds: [refundOf(order, { amount: '900000' })], offer: FAKE_OFFER }
  const refund = { deposit: request.refunds[0]?.deposit ?? '', amount: 900_000n, to: HOME, pays: 899_000n }
  expect((await signInstantRefunds(fixture.solver.context, order.id, request, caller)).answer).toBe(answerOf(order.source.terms, [refund]))
})

test('refuses an offer that the family cannot parse, and signs nothing', async () => {
  const order = await agree()
  await fund(order, 900_000n)
  const request = { refunds: [refundOf(order, { amount: '900000' })], offer: 'nonsense' }
  await expect(signInstantRefunds(fixture.solver.context, order.id, request, caller)).rejects.toThrow(
    refused('bad_request', /not an offer/),
  )
  await nothingSigned(order)
})

describe('a stray', () => {
  const stray = async (order: Order) => {
    fixture.solver.bitcoin.mine({ ...sightingsOf(order.source.swapId).initiated(700_000n), tx: 'stray', deposit: 'stray' })
    await watch()
    return refundOf(order, { deposit: 'stray', amount: '700000' })
  }

  test('is signed for refund at any time, and the solver still pays for the other deposits', async () => {
    const order = await agree()
    await fund(order)
    await fillFor(fixture.solver, order)
    const refund = await stray(order)
    expect((await ask(order, [refund])).answer).toMatch(/^signed/)
    expect(await ways()).toEqual([])
    expect(await initiate(order)).toMatchObject({ kind: 'sent' })
    expect(await ways()).toEqual([{ way: 'locked' }])
    expect((await ask(order, [refund])).answer).toMatch(/^signed/)
    fixture.solver.ethereum.mine(sightingsOf(order.destination.swapId).initiated(order.destination.terms.amount))
    expect((await ask(order, [refund])).answer).toMatch(/^signed/)
  })

  test('is refused together with a deposit that the solver signed for', async () => {
    const order = await agree()
    await fund(order)
    await fillFor(fixture.solver, order)
    const refund = await stray(order)
    await initiate(order)
    await expect(ask(order, [refund, refundOf(order)])).rejects.toThrow(refused('conflict'))
  })

  test('does not exist before a fill is signed: a refund then cancels the whole order', async () => {
    const order = await agree()
    await fund(order)
    await ask(order, [await stray(order)])
    expect(await ways()).toEqual([{ way: 'refund_signed' }])
    expect(await fillFor(fixture.solver, order)).toMatchObject({ answer: 'declined' })
    expect(await initiate(order)).toMatchObject({ kind: 'skipped' })
  })
})

test('after it has signed a refund, it never initiates the destination and reserves no inventory, whatever is deposited later', async () => {
  const order = await agree()
  await fund(order, 900_000n)
  await ask(order, [refundOf(order, { amount: '900000' })])
  fixture.solver.bitcoin.mine({ ...sightingsOf(order.source.swapId).initiated(order.source.terms.amount), tx: 'more', deposit: 'more' })
  await watch()
  await reconcile({ db: fixture.store.db, registry: fixture.solver.context.registry, party: { role: 'solver' } }, NOW)
  expect(await readAction(fixture.store.db, actionKey(order.id, 'destination', 'initiate'))).toBe(null)
  expect(await initiate(order)).toMatchObject({ kind: 'skipped' })
  expect(fixture.solver.ethereum.broadcast).toEqual([])
  expect(await fixture.solver.context.inventory.available('ethereum_localnet:wbtc')).toBe(10_000_000n)
  expect(await ways()).toEqual([{ way: 'refund_signed' }])
})

test('signs for one request of an order at a time, also across processes', async () => {
  const order = await agree()
  await fund(order, 900_000n)
  let [running, most] = [0, 0]
  const { instantRefund } = fixture.solver.bitcoin
  if (instantRefund === undefined) throw new Error('the source can be refunded instantly')
  const sign: typeof instantRefund.sign = async (...args) => {
    running += 1
    most = Math.max(most, running)
    await sleep(20)
    const answer = await instantRefund.sign(...args)
    running -= 1
    return answer
  }
  const clients = new Map(fixture.solver.context.clients).set(fixture.solver.bitcoin.chain.id, {
    ...fixture.solver.bitcoin,
    instantRefund: { ...instantRefund, sign },
  })
  const request = { refunds: [refundOf(order, { amount: '900000' })], offer: null }
  const answers = await Promise.all(
    [fixture.store.db, fixture.store.other, fixture.store.db, fixture.store.other].map((db) =>
      signInstantRefunds({ ...fixture.solver.context, db, clients, keptAnswers: createKeptAnswers() }, order.id, request, caller),
    ),
  )
  expect(new Set(answers.map(({ answer }) => answer)).size).toBe(1)
  expect(most).toBe(1)
})

describe('signs after the solver has paid', () => {
  async function payAndRefund(request?: SolverOrderRequest): Promise<Order> {
    const order = await agree(request)
    await fund(order)
    await initiate(order)
    const { initiated, refunded } = sightingsOf(order.destination.swapId)
    fixture.solver.ethereum.mine(initiated(order.destination.terms.amount))
    fixture.solver.ethereum.mine(refunded())
    await watch()
    return order
  }
  const finality = () => fixture.solver.ethereum.chain.finalityBlocks

  test('only when its refund of the destination is final', async () => {
    const order = await payAndRefund()
    fixture.solver.ethereum.grow(finality() - 2)
    await expect(ask(order)).rejects.toThrow(refused('conflict'))
    await nothingSigned(order)
    fixture.solver.ethereum.grow(1)
    expect((await ask(order)).answer).toMatch(/^signed/)
    expect(await ways()).toEqual([{ way: 'locked' }])
    await watch()
    expect(await initiate(order)).toMatchObject({ kind: 'skipped' })
  })

  describe('for a client that may keep the secret', () => {
    /** The orders are worth 588 and 1,182 dollars. */
    const small = (client_secret = true) => orderRequest({ client_secret })
    const large = (client_secret = true) =>
      orderRequest({
        client_secret,
        source: { asset: btc, amount: '2000000', initiator: userKey },
        destination: { asset: wbtc, amount: '1970000', redeemer: user },
      })
    async function refunded(request: SolverOrderRequest): Promise<Order> {
      const order = await payAndRefund(request)
      fixture.solver.ethereum.grow(finality())
      await watch()
      return order
    }

    test('never if the order is large and it kept the secret: its deposit is refunded after the timelock', async () => {
      await expect(ask(await refunded(large()))).rejects.toThrow(refused('conflict', 'after its timelock'))
      for (const request of [small(), large(false)]) expect((await ask(await refunded(request))).answer).toMatch(/^signed/)
    })

    test('if the solver has not paid, and for strays, however large the order is', async () => {
      const unpaid = await agree(large())
      await fund(unpaid)
      expect((await ask(unpaid)).answer).toMatch(/^signed/)
      const order = await refunded(large())
      fixture.solver.bitcoin.mine({ ...sightingsOf(order.source.swapId).initiated(700_000n), tx: 'stray', deposit: 'stray' })
      await watch()
      expect((await ask(order, [refundOf(order, { deposit: 'stray', amount: '700000' })])).answer).toMatch(/^signed/)
    })
  })
})
