import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp, findApp } from './apps.ts'
import { openTestStore, type TestStore } from './store-fixture.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())

test('an app is found by its id, which is stored nowhere', async () => {
  const { appId } = await createApp(store.db, 'shop')
  expect(appId).toMatch(/^[0-9a-f]{64}$/)
  expect(await findApp(store.db, appId)).toEqual({ name: 'shop', defaultSlippageBips: 0, gasSponsorship: true, allowedOrigins: [] })
  const rows = await store.db.selectFrom('apps').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain(appId)
  expect(await findApp(store.db, rows[0]?.id_hash ?? '')).toBeNull()
})

test('no other id finds it', async () => {
  const { appId } = await createApp(store.db, 'market')
  for (const wrong of ['', appId.toUpperCase(), appId.slice(1), `${appId} `, 'f'.repeat(64)]) {
    expect(await findApp(store.db, wrong)).toBeNull()
  }
})

test('a disabled app is not found', async () => {
  const { appId } = await createApp(store.db, 'closed')
  await store.db.updateTable('apps').set({ disabled: true }).where('name', '=', 'closed').execute()
  expect(await findApp(store.db, appId)).toBeNull()
})

test('one app of a name', async () => {
  await createApp(store.db, 'twice')
  await expect(createApp(store.db, 'twice')).rejects.toThrow('apps_pkey')
})
