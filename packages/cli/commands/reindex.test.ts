import { createApp } from '@tandem/party/store/apps/apps.ts'
import { openTestStore, putOrder, type TestStore } from '@tandem/party/store/store.fixture.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConfigFixture, runCommand, writeServiceConfig } from './command.fixture.ts'
import { reindexCommand } from './reindex.ts'

let store: TestStore
let fixture: ConfigFixture
beforeAll(async () => {
  store = await openTestStore()
  fixture = await writeServiceConfig(store.url)
})
afterAll(async () => {
  await store.close()
  await fixture.remove()
})

async function reindex(): Promise<readonly string[]> {
  const { notes } = await runCommand((terminal) => reindexCommand({ config: fixture.config }, terminal))
  return notes.split('\n')
}

test('lists that contradict orders and events are corrected', async () => {
  await createApp(store.db, 'shop')
  for (const deadline of [1n, 2n, 9_000_000_000n]) await putOrder(store.db, { app: 'shop', deadline })
  await reindex()
  const read = () => store.db.selectFrom('order_list').selectAll().orderBy('order_id').execute()
  const right = await read()
  expect(right.map(({ status }) => status).toSorted()).toEqual(['created', 'expired', 'expired'])

  await store.db
    .updateTable('order_list')
    .set({ status: 'redeemed' })
    .where('order_id', '=', right[0]?.order_id ?? '')
    .execute()
  await store.db
    .deleteFrom('order_list')
    .where('order_id', '=', right[1]?.order_id ?? '')
    .execute()
  expect(await reindex()).toEqual(['3 of 3 orders (100 %)', 'The lists are rebuilt from 3 orders.'])
  expect(await read()).toEqual(right)
})

test('no orders, no progress', async () => {
  await store.db.deleteFrom('swaps').execute()
  await store.db.deleteFrom('orders').execute()
  expect(await reindex()).toEqual(['The lists are rebuilt from 0 orders.'])
})
