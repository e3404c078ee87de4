import { afterEach, beforeEach, expect, test } from 'vitest'
import { createVault } from '../orders/sealed-values.ts'
import { openTestStore, type TestStore } from '../store.fixture.ts'
import { claimDatabase } from './owner.ts'

const service = { party: 'service', vault: createVault('11'.repeat(32)) } as const
const solver = { party: 'solver' } as const

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
})
afterEach(() => store.close())

test('the party that starts on it first owns it, again and again', async () => {
  for (let start = 0; start < 2; start++) await claimDatabase(store.db, service)
  await expect(claimDatabase(store.db, solver)).rejects.toThrow('names the database of a service, and this is a solver')
})

test('a service does not start on the database of a solver', async () => {
  for (let start = 0; start < 2; start++) await claimDatabase(store.db, solver)
  await expect(claimDatabase(store.db, service)).rejects.toThrow('names the database of a solver, and this is a service')
})

test('a service does not start with another vault key', async () => {
  await claimDatabase(store.db, service)
  const other = { ...service, vault: createVault('22'.repeat(32)) }
  await expect(claimDatabase(store.db, other)).rejects.toThrow('vault_key is not the key that this database was made with')
  await claimDatabase(store.db, service)
})

test('of two parties that start at the same moment, one does', async () => {
  const starts = await Promise.allSettled([claimDatabase(store.db, service), claimDatabase(store.db, solver)])
  expect(starts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})
