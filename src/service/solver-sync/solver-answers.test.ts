/** What the service asks solvers about deposits, against a solver that says what a test wants and a real database. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ChainFailure } from '../../chains/port/failure.ts'
import { createLogger } from '../../log.ts'
import type { Order } from '../../protocol/order.ts'
import { localAssets, localChains } from '../../protocol/registry/local.ts'
import { createRegistry } from '../../protocol/registry/registry.ts'
import type { SolverFillRequest, SolverInstantRefundRequest } from '../../protocol/wire/solver.ts'
import { findOrder, markSecretReleased } from '../../store/orders/orders.ts'
import { loadOrderState } from '../orders/load-order-state.ts'
import { FAKE_NONCE, partOf, wordFor } from '../testing/fake-chain.fixture.ts'
import type { Answer } from '../testing/fake-solver.fixture.ts'
import {
  aliceScript,
  btc,
  deployments,
  eventsOf,
  NOW,
  orderBody,
  startTestService,
  type TestService,
  wbtc,
} from '../testing/service.fixture.ts'
import { fillErrands } from './agree-on-fill.ts'
import { giveBackErrands } from './give-back.ts'
import type { Errand, ErrandContext } from './solver-sync.ts'

let service: TestService
let context: ErrandContext
let order: Order
let woken: number
let filled: SolverFillRequest[]
let refunded: SolverInstantRefundRequest[]
let height = 1000n

beforeAll(async () => {
  service = await startTestService()
  context = {
    db: service.db,
    registry: createRegistry({
      chains: localChains,
      assets: localAssets,
      deployments,
      served: new Set(localChains.map((chain) => chain.id)),
    }),
    clients: service.chains,
    solvers: [service.solver.client, service.secondSolver.client],
    vault: service.vault,
    log: createLogger({ name: 'test', level: 'silent' }),
    now: () => service.world.now,
    wake: () => {
      woken += 1
    },
  }
})
afterEach(() => service.reset())
afterAll(() => service.close())
beforeEach(async () => {
  const { body } = await service.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })
  order = (await find((body.result as { order_id: string }).order_id)).order
  woken = 0
  filled = []
  refunded = []
  service.solver.onFill = (id, request) => {
    filled.push(request)
    return said({ answer: 'signed', signature: wordFor(order.source.terms, id, fillOf(request)), reason: null })
  }
  service.solver.onInstantRefund = (_id, request) => {
    refunded.push(request)
    const signatures = request.refunds.map(({ amount, pays, ...refund }) => ({
      nonce: FAKE_NONCE,
      signature: partOf(order.source.terms, { ...refund, amount: BigInt(amount), pays: BigInt(pays) }),
    }))
    return { status: 200, body: { solver_id: 'first', signatures } }
  }
})

const said = (body: object): Answer => ({ status: 200, body: { solver_id: 'first', ...body } })
const fillOf = ({ deposits, block_hash: blockHash, destination_amount: amount }: SolverFillRequest) => ({
  deposits,
  blockHash,
  destinationAmount: BigInt(amount),
})
async function find(id: string) {
  const stored = await findOrder(service.db, id)
  if (stored === null) throw new Error('the order was not made')
  return stored
}
const deposit = (name: string, amount: bigint) => ({ ...eventsOf(order.source).initiated(`${name} of ${order.id}`, amount), deposit: name })
async function mine(...events: Parameters<TestService['mine']>[2]): Promise<void> {
  height += 1n
  await service.mine('ethereum_localnet', { height, time: NOW }, [])
  await service.mine('bitcoin_regtest', { height, time: NOW }, events)
}
const state = async () => loadOrderState(service.db, context.registry, await find(order.id), service.world.now)
const statusNow = async () => (await state()).status
/** The errands of one kind that are due, run. */
async function run(source: (context: ErrandContext, states: readonly Awaited<ReturnType<typeof state>>[]) => readonly Errand[]) {
  return Promise.all(source(context, [await state()]).map((errand) => errand.run()))
}

describe('which deposits are paid for', () => {
  test('is asked once the deposits are there, written down before, and kept as the solver signed it', async () => {
    expect(await run(fillErrands)).toEqual([])
    await mine(deposit('a', 980_000n))
    const before: unknown[] = []
    const { onFill } = service.solver
    let looking = Promise.resolve()
    service.solver.onFill = (id, request) => {
      looking = find(id).then(({ fill, order: { destination } }) => void before.push(fill?.signature, destination.terms.amount))
      return onFill(id, request)
    }
    expect(await run(fillErrands)).toEqual(['done'])
    await looking
    expect(filled).toEqual([{ deposits: ['a'], block_hash: `bitcoin_regtest-${height}`, destination_amount: '970200' }])
    const { fill, order: now } = await find(order.id)
    expect(fill).toMatchObject({ deposits: ['a'], destinationAmount: 970_200n, signature: expect.stringMatching(/^[0-9a-f]{128}$/) })
    expect(now.destination).toMatchObject({ agreedAmount: 990_000n, terms: { amount: 970_200n } })
    expect(now.destination.swapId).toBe(service.chains.get('ethereum_localnet')?.swapId(now.destination.terms))
    expect(before[1]).toBe(970_200n)
    expect((await state()).isAgreed).toBe(true)
    expect(await run(fillErrands)).toEqual([])
    expect(woken).toBe(1)
  })

  test('is asked again while the solver waits, for the same', async () => {
    await mine(deposit('a', 1_000_000n))
    service.solver.onFill = (_id, request) => {
      filled.push(request)
      return said({ answer: 'wait', signature: null, reason: 'not yet' })
    }
    expect(await run(fillErrands)).toEqual(['soon'])
    await mine(deposit('b', 1_000_000n))
    expect(await run(fillErrands)).toEqual(['soon'])
    expect(filled.map(({ deposits }) => deposits)).toEqual([['a'], ['a']])
    expect((await state()).isAgreed).toBe(false)
  })

  test.each<[string, (request: SolverFillRequest) => Answer]>([
    ['for another amount', (request) => signedFor({ ...request, destination_amount: '1' })],
    ['for other deposits', (request) => signedFor({ ...request, deposits: ['other'] })],
    ['nothing', () => said({ answer: 'signed', signature: null, reason: null })],
    ['nonsense', () => said({ answer: 'signed', signature: '0'.repeat(128), reason: null })],
  ])('is not agreed when the solver signs %s', async (_, answer) => {
    await mine(deposit('a', 1_000_000n))
    service.solver.onFill = (_id, request) => answer(request)
    await expect(run(fillErrands)).rejects.toThrow('not one for this fill')
    expect((await find(order.id)).fill?.signature).toBeNull()
    expect((await state()).isAgreed).toBe(false)
  })
  const signedFor = (request: SolverFillRequest) =>
    said({ answer: 'signed', signature: wordFor(order.source.terms, order.id, fillOf(request)), reason: null })

  test('is over when the solver declines: the order awaits its refund, and it is not asked again', async () => {
    await mine(deposit('a', 1_000_000n))
    service.solver.onFill = () => said({ answer: 'declined', signature: null, reason: 'the price has moved' })
    await run(fillErrands)
    expect(await find(order.id)).toMatchObject({ declined: 'the solver declined: the price has moved' })
    expect(await statusNow()).toBe('awaiting_refund')
    expect(await run(fillErrands)).toEqual([])
  })

  test('is proposed anew when a deposit that nobody signed for is gone', async () => {
    await mine(deposit('a', 1_000_000n))
    service.solver.onFill = () => said({ answer: 'wait', signature: null, reason: 'not yet' })
    await run(fillErrands)
    await service.db.deleteFrom('events').where('deposit', '=', 'a').execute()
    await mine(deposit('b', 1_000_000n))
    await run(fillErrands)
    expect((await find(order.id)).fill).toBeNull()
    await run(fillErrands)
    expect((await find(order.id)).fill?.deposits).toEqual(['b'])
  })
})

describe('what is not paid for goes back', () => {
  const grants = async () => (await find(order.id)).grants

  test('too much, by itself, to where the user said', async () => {
    await mine(deposit('a', 2_000_000n))
    await run(giveBackErrands)
    expect(refunded).toEqual([{ refunds: [{ deposit: 'a', amount: '2000000', to: aliceScript, pays: '2000000' }], nonces: [FAKE_NONCE] }])
    expect(await grants()).toMatchObject([{ kind: 'instant-refund', refunds: [{ deposit: 'a' }] }])
    expect(await run(giveBackErrands)).toEqual([])
  })

  test('not what may still complete, nor what the solver signed for, nor where nobody said where to', async () => {
    await mine(deposit('a', 500_000n))
    expect(await run(giveBackErrands)).toEqual([])
    await mine(deposit('b', 500_000n))
    await run(fillErrands)
    expect(await run(giveBackErrands)).toEqual([])
    await mine(deposit('stray', 300_000n))
    await service.db.updateTable('swaps').set({ user_address: null }).where('order_id', '=', order.id).where('leg', '=', 'source').execute()
    expect(await run(giveBackErrands)).toEqual([])
    expect(refunded).toEqual([])
  })

  test('what is beside it, even after the secret is out', async () => {
    await mine(deposit('a', 1_000_000n))
    await run(fillErrands)
    await markSecretReleased(service.db, order.id)
    await mine(deposit('stray', 300_000n))
    await run(giveBackErrands)
    expect(refunded.flatMap(({ refunds }) => refunds.map((refund) => refund.deposit))).toEqual(['stray'])
  })

  test('nothing that pays for the order once a redeem with the secret is signed', async () => {
    await mine(deposit('a', 2_000_000n))
    await markSecretReleased(service.db, order.id)
    await run(giveBackErrands)
    expect(refunded).toEqual([])
  })

  const changeAddress = async () => {
    await service.db
      .updateTable('swaps')
      .set({ user_address: 'fake1elsewhere' })
      .where('order_id', '=', order.id)
      .where('leg', '=', 'source')
      .execute()
  }

  test('not when the address has changed meanwhile', async () => {
    await mine(deposit('a', 2_000_000n))
    const { onInstantRefund } = service.solver
    service.solver.onInstantRefund = (id, request) => {
      service.solver.delay = changeAddress()
      return onInstantRefund(id, request)
    }
    await run(giveBackErrands)
    expect(refunded).toHaveLength(1)
    expect(await grants()).toEqual([])
  })

  test('strays go though the solver does not sign the others', async () => {
    await mine(deposit('a', 1_000_000n))
    await run(fillErrands)
    await mine(deposit('stray', 300_000n))
    await service.db.updateTable('orders').set({ declined: 'after all' }).where('id', '=', order.id).execute()
    const { onInstantRefund } = service.solver
    service.solver.onInstantRefund = (id, request) =>
      request.refunds.some((refund) => refund.deposit === 'a')
        ? { status: 409, body: { code: 'conflict', message: 'the solver pays for this order' } }
        : onInstantRefund(id, request)
    await expect(run(giveBackErrands)).rejects.toThrow('pays for this order')
    expect(await grants()).toMatchObject([{ kind: 'instant-refund', refunds: [{ deposit: 'stray' }] }])
  })

  test('later, when it is not worth its fee now', async () => {
    await mine(deposit('a', 2_000_000n))
    Object.assign(service.chains.get('bitcoin_regtest') ?? {}, { failure: new ChainFailure('uneconomic', 'not now') })
    expect(await run(giveBackErrands)).toEqual(['later'])
    expect(refunded).toEqual([])
  })

  test('what comes after everything went back goes back too', async () => {
    await mine(deposit('a', 2_000_000n))
    await run(giveBackErrands)
    await mine({ ...eventsOf(order.source).refunded(`back of ${order.id}`), deposit: 'a' })
    expect(await statusNow()).toBe('refunded')
    await mine(deposit('b', 1_000_000n))
    await run(giveBackErrands)
    expect(refunded.flatMap(({ refunds }) => refunds.map((refund) => refund.deposit))).toEqual(['a', 'b'])
  })

  test('and is tried again when the solver does not answer', async () => {
    await mine(deposit('a', 2_000_000n))
    service.solver.onInstantRefund = () => 'hang up'
    await expect(run(giveBackErrands)).rejects.toThrow('did not answer')
    expect(await grants()).toEqual([])
  })
})
