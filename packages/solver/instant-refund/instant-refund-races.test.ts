/** Tests that a solver never pays and signs a refund for the same deposit. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { executeAction } from '@tandem/party/engine/executor.ts'
import { syncWanted } from '@tandem/party/store/actions/actions.ts'
import { describe, expect, test } from 'vitest'
import { fillFor } from '../solver.fixture.ts'
import { refundOf, refused, useRefundFixture } from './refunds.fixture.ts'

const fixture = useRefundFixture()
const { agree, executor, leaseInitiation, fund, initiate, ask, ways, nothingSigned } = fixture

test('an initiation that was wanted but never signed does not block a refund, and cannot be signed after it', async () => {
  const order = await agree()
  await fund(order)
  await fillFor(fixture.solver, order)
  fixture.solver.ethereum.before.initiate = () => {
    throw new ChainFailure('would-fail', 'no gas')
  }
  expect(await initiate(order)).toMatchObject({ kind: 'failed' })
  expect(await ways()).toEqual([{ way: 'locked' }])
  // The action is wanted again, and the engine is slow.
  delete fixture.solver.ethereum.before.initiate
  const action = await leaseInitiation(order)
  fixture.solver.ethereum.before.initiate = async () => {
    await syncWanted(fixture.store.other, [order.id], [])
    await ask(order, [refundOf(order)], fixture.store.other)
    await fixture.store.other.updateTable('actions').set({ wanted: true }).execute()
  }
  expect(await executeAction(executor(fixture.store.db), action)).toMatchObject({ kind: 'skipped' })
  expect(fixture.solver.ethereum.broadcast).toEqual([])
  expect(await ways()).toEqual([{ way: 'refund_signed' }])
})

describe('in a race with the engine', () => {
  test('if the engine pays first, no refund is signed', async () => {
    const order = await agree()
    await fund(order)
    await fillFor(fixture.solver, order)
    // This is the last read of the chain state, so later events are not seen.
    fixture.solver.ethereum.before.headers = async () => {
      delete fixture.solver.ethereum.before.headers
      await executeAction(executor(fixture.store.other), await leaseInitiation(order))
      await syncWanted(fixture.store.db, [order.id], [])
    }
    await expect(ask(order)).rejects.toThrow(refused('conflict'))
    expect(fixture.solver.ethereum.broadcast).toEqual(['initiate 1'])
    await nothingSigned(order)
  })

  test('if a refund is signed first, the engine does not pay', async () => {
    const order = await agree()
    await fund(order)
    await fillFor(fixture.solver, order)
    const action = await leaseInitiation(order)
    const context = executor(fixture.store.db)
    const { party } = context
    const authorize: typeof party.authorize = async (step) => {
      await fixture.store.other.updateTable('actions').set({ wanted: false }).execute()
      await ask(order, [refundOf(order)], fixture.store.other)
      await fixture.store.other.updateTable('actions').set({ wanted: true }).execute()
      return party.authorize(step)
    }
    expect(await executeAction({ ...context, party: { ...party, authorize } }, action)).toMatchObject({
      kind: 'failed',
      error: expect.stringContaining('refund of the source is signed'),
    })
    expect(fixture.solver.ethereum.broadcast).toEqual([])
  })
})

test('when engine and refund run concurrently, at most one of them wins', async () => {
  let [paid, signed] = [0, 0]
  for (let round = 0; round < 12; round++) {
    await fixture.restart()
    const order = await agree()
    await fund(order)
    await fillFor(fixture.solver, order)
    // The reconciler stops wanting the action after its lease: the engine still executes it.
    const action = await leaseInitiation(order)
    const asking = async () => {
      await fixture.store.other.updateTable('actions').set({ wanted: false }).execute()
      try {
        await ask(order, [refundOf(order)], fixture.store.other)
        return true
      } catch (error) {
        expect(error).toEqual(refused('conflict'))
        return false
      } finally {
        await fixture.store.other.updateTable('actions').set({ wanted: true }).execute()
      }
    }
    const paying = async () => (await executeAction(executor(fixture.store.db), action)).kind === 'sent'
    // The first to start alternates, so that either can win.
    const [isSigned, isPaid] =
      round % 2 === 0 ? await Promise.all([asking(), paying()]) : (await Promise.all([paying(), asking()])).toReversed()
    const [commitment, ...more] = await ways()
    expect(more).toEqual([])
    if (isPaid) expect([isSigned, commitment?.way, fixture.solver.ethereum.broadcast.length]).toEqual([false, 'locked', 1])
    if (isSigned) expect([isPaid, commitment?.way, fixture.solver.ethereum.broadcast.length]).toEqual([false, 'refund_signed', 0])
    paid += isPaid ? 1 : 0
    signed += isSigned ? 1 : 0
  }
  expect(paid + signed).toBeGreaterThan(0)
})
