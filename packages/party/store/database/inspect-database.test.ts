import { afterAll, beforeAll, expect, test } from 'vitest'
import { leaseEngine } from '../actions/engines.ts'
import { openTestStore, putOrder, type TestStore } from '../store.fixture.ts'
import { inspectDatabase } from './inspect-database.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())

const engines = async () => (await inspectDatabase(store.url, 60_000)).engines

test('counts the engines that live, and says whether orders need one', async () => {
  expect(await engines()).toEqual({ running: 0, hasOpenOrders: false })
  await putOrder(store.db)
  expect(await engines()).toEqual({ running: 0, hasOpenOrders: true })
  await leaseEngine(store.db, 'a', 60, null)
  await leaseEngine(store.db, 'dead', -1, null)
  expect(await engines()).toEqual({ running: 1, hasOpenOrders: true })
})
