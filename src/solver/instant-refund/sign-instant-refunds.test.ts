import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { ChainFailure } from '../../chains/port/failure.ts'
import { executeAction } from '../../engine/executor.ts'
import { createLeases } from '../../engine/leases.ts'
import { reconcile } from '../../engine/reconciler.ts'
import { pollChain } from '../../engine/watcher.ts'
import { orderPurpose } from '../../keys/purpose.ts'
import { actionKey, type Order } from '../../protocol/order.ts'
import type { SolverInstantRefundRequest } from '../../protocol/wire/solver.ts'
import { answerOf, consentsOf, FAKE_OFFER } from '../../service/testing/fake-chain.fixture.ts'
import { finishAction, leaseAction, readAction, syncWanted } from '../../store/actions/actions.ts'
import { readAttempts } from '../../store/actions/attempts.ts'
import type { Database } from '../../store/database/database.ts'
import { findOrder } from '../../store/orders/orders.ts'
import { isCommittedTo } from '../../store/solver/commitments.ts'
import { NOW, openTestStore, sightingsOf, type TestStore } from '../../store/store.fixture.ts'
import { acceptOrder } from '../orders.ts'
import { createSolverParty } from '../party.ts'
import { fillFor, openSolver, orderRequest, type TestSolver } from '../solver.fixture.ts'
import { signInstantRefunds } from './sign-instant-refunds.ts'

const HOME = 'fake1aliceaaaaa'
let store: TestStore
let solver: TestSolver
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())
beforeEach(async () => {
  solver = await openSolver(store)
})

async function agree(): Promise<Order> {
  const request = orderRequest()
  await acceptOrder(solver.context, request)
  const stored = await findOrder(store.db, request.order_id)
  if (stored === null) throw new Error('the order was not stored')
  return stored.order
}
const watch = async () => {
  for (const client of [solver.bitcoin, solver.ethereum]) await pollChain({ db: store.db, client, holder: 'me', onReorg: () => undefined })
}
async function fund({ source }: Order, amount = source.terms.amount): Promise<void> {
  await watch()
  solver.bitcoin.mine(sightingsOf(source.swapId).initiated(amount))
  await watch()
}
const executor = (db: Database) => ({
  db,
  registry: solver.context.registry,
  clients: solver.context.clients,
  party: createSolverParty({ db, keys: solver.context.keys, redeemWaitSeconds: 0n, now: () => NOW }),
  leases: createLeases(db, 'engine', 60),
  now: () => NOW,
})
/** Leases the initiation of this order, as the engine would. */
async function leaseInitiation({ id }: Order) {
  await syncWanted(store.db, [id], [{ orderId: id, leg: 'destination', verb: 'initiate' }])
  const action = await leaseAction(store.db, 'engine', 60)
  if (action === null) throw new Error('nothing to lease')
  return action
}
async function initiate(order: Order) {
  await fillFor(solver, order)
  const action = await leaseInitiation(order)
  const result = await executeAction(executor(store.db), action)
  await finishAction(store.db, action, result)
  await syncWanted(store.db, [order.id], [])
  return result
}

type Refund = SolverInstantRefundRequest['refunds'][number]
const refundOf = ({ source }: Order, changes: Partial<Refund> = {}): Refund => {
  const amount = changes.amount ?? source.terms.amount.toString()
  const pays = (BigInt(amount) - 1000n).toString()
  return { deposit: `deposit of ${source.swapId}`, amount, to: HOME, pays, ...changes }
}
const ask = (order: Order, refunds: readonly Refund[] = [refundOf(order)], db = store.db) =>
  signInstantRefunds({ ...solver.context, db }, order.id, { refunds: [...refunds], offer: null })
const refused = (code: string, words: RegExp | string = /./) => expect.objectContaining({ code, message: expect.stringMatching(words) })
const ways = () => store.db.selectFrom('commitments').select('way').execute()
const nothingSigned = async (order: Order) => {
  expect(await isCommittedTo(store.db, order.id, 'refund_signed')).toBe(false)
  expect((await findOrder(store.db, order.id))?.grants).toEqual([])
}

test('signs the refund of a deposit that it does not pay for, and records the commitment first', async () => {
  const order = await agree()
  await fund(order, 900_000n)
  const refund = refundOf(order, { amount: '900000' })
  const signed = { deposit: refund.deposit, amount: 900_000n, to: HOME, pays: 899_000n }
  const answer = consentsOf(order.source.terms, [signed])
  expect(await ask(order, [refund])).toEqual({ solver_id: 'the solver', answer })
  expect(await isCommittedTo(store.other, order.id, 'refund_signed')).toBe(true)
  expect((await findOrder(store.other, order.id))?.grants).toEqual([
    { kind: 'instant-refund', leg: 'source', refunds: [{ ...signed, signature: '' }], transaction: null },
  ])
  expect((await ask(order, [refund])).answer).toBe(answer)
})

test('states order, leg and terms as the purpose of the signature', async () => {
  const order = await agree()
  await fund(order, 900_000n)
  const { instantRefund } = solver.bitcoin
  if (instantRefund === undefined) throw new Error('the fake has instant refunds')
  const signing = vi.spyOn(instantRefund, 'sign')
  await ask(order, [refundOf(order, { amount: '900000' })])
  const { chain, terms } = order.source
  const purposes = signing.mock.calls.map(([, , signer]) => signer.purpose)
  expect(purposes).toEqual([orderPurpose(chain, { order: order.id, leg: 'source', verb: 'instant-refund', terms })])
  signing.mockRestore()
})

test("answers an offer with the solver's part of a joint signature", async () => {
  const order = await agree()
  await fund(order, 900_000n)
  const request = { refunds: [refundOf(order, { amount: '900000' })], offer: FAKE_OFFER }
  const refund = { deposit: request.refunds[0]?.deposit ?? '', amount: 900_000n, to: HOME, pays: 899_000n }
  expect((await signInstantRefunds(solver.context, order.id, request)).answer).toBe(answerOf(order.source.terms, [refund]))
})

test('refuses an offer that the family cannot parse, and signs nothing', async () => {
  const order = await agree()
  await fund(order, 900_000n)
  const request = { refunds: [refundOf(order, { amount: '900000' })], offer: 'nonsense' }
  await expect(signInstantRefunds(solver.context, order.id, request)).rejects.toThrow(refused('bad_request', /not an offer/))
  await nothingSigned(order)
})

describe('a stray', () => {
  const stray = async (order: Order) => {
    solver.bitcoin.mine({ ...sightingsOf(order.source.swapId).initiated(700_000n), tx: 'stray', deposit: 'stray' })
    await watch()
    return refundOf(order, { deposit: 'stray', amount: '700000' })
  }

  test('is signed for refund at any time, and the solver still pays for the other deposits', async () => {
    const order = await agree()
    await fund(order)
    await fillFor(solver, order)
    const refund = await stray(order)
    expect((await ask(order, [refund])).answer).toMatch(/^signed/)
    expect(await ways()).toEqual([])
    expect(await initiate(order)).toMatchObject({ kind: 'sent' })
    expect(await ways()).toEqual([{ way: 'locked' }])
    expect((await ask(order, [refund])).answer).toMatch(/^signed/)
    solver.ethereum.mine(sightingsOf(order.destination.swapId).initiated(order.destination.terms.amount))
    expect((await ask(order, [refund])).answer).toMatch(/^signed/)
  })

  test('is refused together with a deposit that the solver signed for', async () => {
    const order = await agree()
    await fund(order)
    await fillFor(solver, order)
    const refund = await stray(order)
    await initiate(order)
    await expect(ask(order, [refund, refundOf(order)])).rejects.toThrow(refused('conflict'))
  })

  test('does not exist before a fill is signed: a refund then cancels the whole order', async () => {
    const order = await agree()
    await fund(order)
    await ask(order, [await stray(order)])
    expect(await ways()).toEqual([{ way: 'refund_signed' }])
    expect(await fillFor(solver, order)).toMatchObject({ answer: 'declined' })
    expect(await initiate(order)).toMatchObject({ kind: 'skipped' })
  })
})

test('after it has signed a refund, it never initiates the destination and reserves no inventory, whatever is deposited later', async () => {
  const order = await agree()
  await fund(order, 900_000n)
  await ask(order, [refundOf(order, { amount: '900000' })])
  solver.bitcoin.mine({ ...sightingsOf(order.source.swapId).initiated(order.source.terms.amount), tx: 'more', deposit: 'more' })
  await watch()
  await reconcile({ db: store.db, registry: solver.context.registry, party: { role: 'solver' } }, NOW)
  expect(await readAction(store.db, actionKey(order.id, 'destination', 'initiate'))).toBe(null)
  expect(await initiate(order)).toMatchObject({ kind: 'skipped' })
  expect(solver.ethereum.broadcast).toEqual([])
  expect(await solver.context.inventory.available('ethereum_localnet:wbtc')).toBe(10_000_000n)
  expect(await ways()).toEqual([{ way: 'refund_signed' }])
})

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
    await store.db.deleteFrom('commitments').execute()
    expect(await readAttempts(store.db, actionKey(order.id, 'destination', 'initiate'))).toHaveLength(1)
    await expect(ask(order)).rejects.toThrow(refused('conflict'))
    await nothingSigned(order)
    expect(await ways()).toEqual([])
  })

  test.each(['a block', 'the mempool'])('when the destination is in %s, even if the solver did not send it', async (where) => {
    const order = await agree()
    await fund(order)
    const deposit = sightingsOf(order.destination.swapId).initiated(order.destination.terms.amount)
    if (where === 'a block') solver.ethereum.mine(deposit)
    else solver.ethereum.mempool = [deposit]
    await expect(ask(order)).rejects.toThrow(refused('conflict'))
    await nothingSigned(order)
  })

  test('when the secret is public', async () => {
    const order = await agree()
    await fund(order, 900_000n)
    solver.bitcoin.mempool = [sightingsOf(order.source.swapId).redeemed('00'.repeat(32))]
    await expect(ask(order, [refundOf(order, { amount: '900000' })])).rejects.toThrow(refused('conflict'))
    await nothingSigned(order)
  })
})

test('signs for one request of an order at a time, also across processes', async () => {
  const order = await agree()
  await fund(order, 900_000n)
  let [running, most] = [0, 0]
  const { instantRefund } = solver.bitcoin
  if (instantRefund === undefined) throw new Error('the source can be refunded instantly')
  const sign: typeof instantRefund.sign = async (...args) => {
    running += 1
    most = Math.max(most, running)
    await sleep(20)
    const answer = await instantRefund.sign(...args)
    running -= 1
    return answer
  }
  const clients = new Map(solver.context.clients).set(solver.bitcoin.chain.id, {
    ...solver.bitcoin,
    instantRefund: { ...instantRefund, sign },
  })
  const request = { refunds: [refundOf(order, { amount: '900000' })], offer: null }
  const answers = await Promise.all(
    [store.db, store.other, store.db, store.other].map((db) => signInstantRefunds({ ...solver.context, db, clients }, order.id, request)),
  )
  expect(new Set(answers.map(({ answer }) => answer)).size).toBe(1)
  expect(most).toBe(1)
})

describe('signs after the solver has paid', () => {
  async function payAndRefund(): Promise<Order> {
    const order = await agree()
    await fund(order)
    await initiate(order)
    const { initiated, refunded } = sightingsOf(order.destination.swapId)
    solver.ethereum.mine(initiated(order.destination.terms.amount))
    solver.ethereum.mine(refunded())
    await watch()
    return order
  }
  const finality = () => solver.ethereum.chain.finalityBlocks

  test('only when its refund of the destination is final', async () => {
    const order = await payAndRefund()
    solver.ethereum.grow(finality() - 2)
    await expect(ask(order)).rejects.toThrow(refused('conflict'))
    await nothingSigned(order)
    solver.ethereum.grow(1)
    expect((await ask(order)).answer).toMatch(/^signed/)
    expect(await ways()).toEqual([{ way: 'locked' }])
    await watch()
    expect(await initiate(order)).toMatchObject({ kind: 'skipped' })
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
    solver.bitcoin.mempool = [{ ...initiated(5000n), deposit: 'fresh', tx: 'fresh' }]
    await expect(ask(order, [{ ...good(), deposit: 'fresh', amount: '5000', pays: '4000' }])).rejects.toThrow(
      refused('conflict', /no block/),
    )
    solver.bitcoin.mempool = []
    solver.bitcoin.mine(refunded())
    await expect(ask(order, [good()])).rejects.toThrow(refused('conflict', /is spent/))
    await nothingSigned(order)
  })

  test('an unknown order', async () => {
    await expect(signInstantRefunds(solver.context, '0'.repeat(64), { refunds: [good()], offer: null })).rejects.toThrow(
      refused('not_found'),
    )
  })

  test('a source chain without instant refunds', async () => {
    const client = { ...solver.bitcoin }
    delete client.instantRefund
    const clients = new Map(solver.context.clients).set(client.chain.id, client)
    await expect(signInstantRefunds({ ...solver.context, clients }, order.id, { refunds: [good()], offer: null })).rejects.toThrow(
      refused('bad_request'),
    )
  })

  test('any request while a chain does not answer: it may hide a payment', async () => {
    solver.ethereum.before.tip = () => {
      throw new ChainFailure('unreachable', 'silent')
    }
    await expect(ask(order, [good()])).rejects.toThrow(refused('chain_unavailable'))
    await nothingSigned(order)
  })
})

test('an initiation that was wanted but never signed does not block a refund, and cannot be signed after it', async () => {
  const order = await agree()
  await fund(order)
  await fillFor(solver, order)
  solver.ethereum.before.initiate = () => {
    throw new ChainFailure('would-fail', 'no gas')
  }
  expect(await initiate(order)).toMatchObject({ kind: 'failed' })
  expect(await ways()).toEqual([{ way: 'locked' }])
  // Wanted again, and the engine is slow.
  delete solver.ethereum.before.initiate
  const action = await leaseInitiation(order)
  solver.ethereum.before.initiate = async () => {
    await syncWanted(store.other, [order.id], [])
    await ask(order, [refundOf(order)], store.other)
    await store.other.updateTable('actions').set({ wanted: true }).execute()
  }
  expect(await executeAction(executor(store.db), action)).toMatchObject({ kind: 'skipped' })
  expect(solver.ethereum.broadcast).toEqual([])
  expect(await ways()).toEqual([{ way: 'refund_signed' }])
})

describe('in a race with the engine', () => {
  test('if the engine pays first, no refund is signed', async () => {
    const order = await agree()
    await fund(order)
    await fillFor(solver, order)
    // This is the last read of the chain state: later events are not seen.
    solver.ethereum.before.headers = async () => {
      delete solver.ethereum.before.headers
      await executeAction(executor(store.other), await leaseInitiation(order))
      await syncWanted(store.db, [order.id], [])
    }
    await expect(ask(order)).rejects.toThrow(refused('conflict'))
    expect(solver.ethereum.broadcast).toEqual(['initiate 1'])
    await nothingSigned(order)
  })

  test('if a refund is signed first, the engine does not pay', async () => {
    const order = await agree()
    await fund(order)
    await fillFor(solver, order)
    const action = await leaseInitiation(order)
    const context = executor(store.db)
    const { party } = context
    const authorize: typeof party.authorize = async (step) => {
      await store.other.updateTable('actions').set({ wanted: false }).execute()
      await ask(order, [refundOf(order)], store.other)
      await store.other.updateTable('actions').set({ wanted: true }).execute()
      return party.authorize(step)
    }
    expect(await executeAction({ ...context, party: { ...party, authorize } }, action)).toMatchObject({
      kind: 'failed',
      error: expect.stringContaining('refund of the source is signed'),
    })
    expect(solver.ethereum.broadcast).toEqual([])
  })
})

test('when engine and refund run concurrently, at most one of them wins', async () => {
  let [paid, signed] = [0, 0]
  for (let round = 0; round < 12; round++) {
    solver = await openSolver(store)
    const order = await agree()
    await fund(order)
    await fillFor(solver, order)
    // Leased, then no longer wanted by the reconciler: the engine still executes it.
    const action = await leaseInitiation(order)
    const asking = async () => {
      await store.other.updateTable('actions').set({ wanted: false }).execute()
      try {
        await ask(order, [refundOf(order)], store.other)
        return true
      } catch (error) {
        expect(error).toEqual(refused('conflict'))
        return false
      } finally {
        await store.other.updateTable('actions').set({ wanted: true }).execute()
      }
    }
    const paying = async () => (await executeAction(executor(store.db), action)).kind === 'sent'
    // Alternate which one starts first, so that either can win.
    const [isSigned, isPaid] =
      round % 2 === 0 ? await Promise.all([asking(), paying()]) : (await Promise.all([paying(), asking()])).toReversed()
    const [commitment, ...more] = await ways()
    expect(more).toEqual([])
    if (isPaid) expect([isSigned, commitment?.way, solver.ethereum.broadcast.length]).toEqual([false, 'locked', 1])
    if (isSigned) expect([isPaid, commitment?.way, solver.ethereum.broadcast.length]).toEqual([false, 'refund_signed', 0])
    paid += isPaid ? 1 : 0
    signed += isSigned ? 1 : 0
  }
  expect(paid + signed).toBeGreaterThan(0)
})
