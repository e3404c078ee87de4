/** Tests which deposits are refunded without a request. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { markSecretSigned } from '@tandem/party/store/orders/orders.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import { describe, expect, test } from 'vitest'
import { fillTasks } from '../partial-deposits/agree-on-fill.ts'
import type { SyncContext } from '../solver-sync/solver-sync.ts'
import { useSyncFixture } from '../solver-sync/sync-tasks.fixture.ts'
import { FAKE_OFFER } from '../testing/fake-chain.fixture.ts'
import { aliceScript, eventsOf } from '../testing/service.fixture.ts'
import { createAutomaticRefundTasks } from './automatic-refunds.ts'

const sync = useSyncFixture()
const automaticRefundTasks = (context: SyncContext, states: readonly OrderState[]) => createAutomaticRefundTasks(context)(states)

describe('a deposit that the solver does not pay for', () => {
  const grants = async () => (await sync.find(sync.order.id)).grants

  test('is refunded automatically to the refund address when its amount is too large', async () => {
    await sync.mine(sync.deposit('a', 2_000_000n))
    await sync.run(automaticRefundTasks)
    expect(sync.refunded).toEqual([{ refunds: [{ deposit: 'a', amount: '2000000', to: aliceScript, pays: '2000000' }], offer: FAKE_OFFER }])
    expect(await grants()).toMatchObject([{ kind: 'instant-refund', refunds: [{ deposit: 'a' }] }])
    expect(await sync.run(automaticRefundTasks)).toEqual([])
  })

  test('is not refunded while the order may complete, while the fill contains it, or without a refund address', async () => {
    await sync.mine(sync.deposit('a', 500_000n))
    expect(await sync.run(automaticRefundTasks)).toEqual([])
    await sync.mine(sync.deposit('b', 500_000n))
    await sync.run(fillTasks)
    expect(await sync.run(automaticRefundTasks)).toEqual([])
    await sync.mine(sync.deposit('stray', 300_000n))
    await sync.service.db
      .updateTable('swaps')
      .set({ user_address: null })
      .where('order_id', '=', sync.order.id)
      .where('leg', '=', 'source')
      .execute()
    expect(await sync.run(automaticRefundTasks)).toEqual([])
    expect(sync.refunded).toEqual([])
  })

  test('is refunded as a stray even after a redeem that shows the secret is signed', async () => {
    await sync.mine(sync.deposit('a', 1_000_000n))
    await sync.run(fillTasks)
    await markSecretSigned(sync.service.db, sync.order.id)
    await sync.mine(sync.deposit('stray', 300_000n))
    await sync.run(automaticRefundTasks)
    expect(sync.refunded.flatMap(({ refunds }) => refunds.map((refund) => refund.deposit))).toEqual(['stray'])
  })

  test('is not refunded once a redeem that shows the secret is signed, unless it is a stray', async () => {
    await sync.mine(sync.deposit('a', 2_000_000n))
    await markSecretSigned(sync.service.db, sync.order.id)
    await sync.run(automaticRefundTasks)
    expect(sync.refunded).toEqual([])
  })

  const changeAddress = async () => {
    await sync.service.db
      .updateTable('swaps')
      .set({ user_address: 'fake1elsewhere' })
      .where('order_id', '=', sync.order.id)
      .where('leg', '=', 'source')
      .execute()
  }

  test('gets no grant when the refund address has changed meanwhile', async () => {
    await sync.mine(sync.deposit('a', 2_000_000n))
    const { onInstantRefund } = sync.service.solver
    sync.service.solver.onInstantRefund = (id, request) => {
      sync.service.solver.delay = changeAddress()
      return onInstantRefund(id, request)
    }
    await sync.run(automaticRefundTasks)
    expect(sync.refunded).toHaveLength(1)
    expect(await grants()).toEqual([])
  })

  test('is refunded as a stray even if the solver does not sign for the other deposits', async () => {
    await sync.mine(sync.deposit('a', 1_000_000n))
    await sync.run(fillTasks)
    await sync.mine(sync.deposit('stray', 300_000n))
    await sync.service.db.updateTable('orders').set({ declined: 'after all' }).where('id', '=', sync.order.id).execute()
    const { onInstantRefund } = sync.service.solver
    sync.service.solver.onInstantRefund = (id, request) =>
      request.refunds.some((refund) => refund.deposit === 'a')
        ? { status: 409, body: { code: 'conflict', message: 'the solver pays for this order' } }
        : onInstantRefund(id, request)
    await expect(sync.run(automaticRefundTasks)).rejects.toThrow('pays for this order')
    expect(await grants()).toMatchObject([{ kind: 'instant-refund', refunds: [{ deposit: 'stray' }] }])
  })

  test('waits while it is uneconomic', async () => {
    await sync.mine(sync.deposit('a', 2_000_000n))
    Object.assign(sync.service.chains.get('bitcoin_regtest') ?? {}, { failure: new ChainFailure('uneconomic', 'not now') })
    expect(await sync.run(automaticRefundTasks)).toEqual(['later'])
    expect(sync.refunded).toEqual([])
  })

  test('is refunded when it arrives after all others were refunded', async () => {
    await sync.mine(sync.deposit('a', 2_000_000n))
    await sync.run(automaticRefundTasks)
    await sync.mine({ ...eventsOf(sync.order.source).refunded(`back of ${sync.order.id}`), deposit: 'a' })
    expect((await sync.state()).status).toBe('refunded')
    await sync.mine(sync.deposit('b', 1_000_000n))
    await sync.run(automaticRefundTasks)
    expect(sync.refunded.flatMap(({ refunds }) => refunds.map((refund) => refund.deposit))).toEqual(['a', 'b'])
  })

  test('waits for others if the last signing of its order was a moment ago, longer each time', async () => {
    let now = 1_000_000
    const tasksOf = createAutomaticRefundTasks(sync.context, () => now)
    const dueIn = async () => tasksOf([await sync.state()]).map(({ dueAtMs = 0 }) => Math.max(0, dueAtMs - now))
    const signNext = async (name: string) => {
      await sync.mine(sync.deposit(name, 2_000_000n))
      const due = await dueIn()
      for (const task of tasksOf([await sync.state()])) await task.run()
      return due
    }
    expect(await signNext('a')).toEqual([0])
    expect(await signNext('b')).toEqual([1_000])
    now += 2_000
    expect(await signNext('c')).toEqual([0])
    expect(await signNext('d')).toEqual([4_000])
    now += 8_000 + 8_000
    expect(await signNext('e')).toEqual([0])
    expect(await signNext('f')).toEqual([1_000])
    for (const name of ['g', 'h', 'i', 'j', 'k', 'l']) await signNext(name)
    expect(await signNext('m')).toEqual([30_000])
  })

  test('is retried when the solver does not answer', async () => {
    await sync.mine(sync.deposit('a', 2_000_000n))
    sync.service.solver.onInstantRefund = () => 'hang up'
    await expect(sync.run(automaticRefundTasks)).rejects.toThrow('did not answer')
    expect(await grants()).toEqual([])
  })
})
