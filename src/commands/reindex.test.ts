import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from '../store/apps/apps.ts'
import { openTestStore, putOrder, type TestStore } from '../store/store.fixture.ts'
import { reindexCommand } from './reindex.ts'

let store: TestStore
let folder: string
let config: string
beforeAll(async () => {
  store = await openTestStore()
  folder = await mkdtemp(join(tmpdir(), 'tandem-reindex-'))
  config = join(folder, 'service.json')
  const service = {
    environment: 'local',
    database_url: store.url,
    listen: { host: '127.0.0.1', port: 0 },
    chains: {},
    prices: {},
    vault_key: { env: 'NONE' },
    relay_key: { env: 'NONE' },
    solvers: [],
  }
  await writeFile(config, JSON.stringify(service))
})
afterAll(async () => {
  await store.close()
  await rm(folder, { recursive: true })
})

async function reindex(): Promise<readonly string[]> {
  const notes: string[] = []
  await reindexCommand({ config }, { answer: () => undefined, note: (text) => void notes.push(text) })
  return notes
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
  expect(await reindex()).toEqual(['3 of 3 orders (100 %)', 'The lists are made anew from 3 orders.'])
  expect(await read()).toEqual(right)
})

test('no orders, no progress', async () => {
  await store.db.deleteFrom('swaps').execute()
  await store.db.deleteFrom('orders').execute()
  expect(await reindex()).toEqual(['The lists are made anew from 0 orders.'])
})
