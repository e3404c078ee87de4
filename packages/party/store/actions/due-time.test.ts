import { actionKey } from '@tandem/protocol/order.ts'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { openTestStore, putOrder, type TestStore } from '../store.fixture.ts'
import { hurryAction, leaseAction, syncWanted } from './actions.ts'
import { finishAction } from './finish-action.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())
afterEach(() => {
  vi.useRealTimers()
})

test('an action is due by the clock of the database: that of a process may be ahead', async () => {
  const { order } = await putOrder(store.db)
  const redeem = { orderId: order.id, leg: 'destination', verb: 'redeem' } as const
  const lease = () => leaseAction(store.db, 'me', 60)
  await syncWanted(store.db, [order.id], [redeem])
  const first = await lease()
  if (first === null) throw new Error('nothing is due')
  await finishAction(store.db, first, { kind: 'sent', tx: 't', againInMs: 3_600_000 })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
  await syncWanted(store.db, [order.id], [])
  await syncWanted(store.db, [order.id], [redeem])
  const second = await lease()
  expect(second).toMatchObject(redeem)
  if (second === null) return
  await finishAction(store.db, second, { kind: 'failed', error: 'no', againInMs: 3_600_000 })
  await hurryAction(store.db, actionKey(order.id, redeem.leg, redeem.verb))
  expect(await lease()).toMatchObject(redeem)
})
