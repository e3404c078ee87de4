import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestStore, type TestStore } from '../store.fixture.ts'
import { countSignings } from './signing-counts.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())

const count = (name: string, signings: number) => countSignings(store.db, name, signings, 60)
/** As if the window of this name had begun so long ago. */
const age = (name: string, interval: string) =>
  sql`update signing_counts set ends_at = now() + interval '1 minute' - ${interval}::interval where name = ${name}`.execute(store.db)

test('adds up the signings of a window, also those that are counted at once, and tells when it ends', async () => {
  expect(await count('a', 3)).toMatchObject({ signings: 3 })
  const counted = await Promise.all(Array.from({ length: 10 }, () => count('a', 2)))
  expect(counted.map(({ signings }) => signings).sort((x, y) => x - y)).toEqual([5, 7, 9, 11, 13, 15, 17, 19, 21, 23])
  expect(await count('b', 1)).toMatchObject({ signings: 1 })
  await age('a', '40 seconds')
  const { signings, endsInMs } = await count('a', 1)
  expect(signings).toBe(24)
  expect(endsInMs).toBeGreaterThan(15_000)
  expect(endsInMs).toBeLessThanOrEqual(20_000)
})

test('a new window begins after the end of the old one, and old windows are deleted', async () => {
  await count('c', 5)
  await age('c', '61 seconds')
  expect(await count('c', 1)).toMatchObject({ signings: 1 })
  await age('c', '2 hours')
  expect(await count('c', 1)).toMatchObject({ signings: 1 })
  await age('c', '2 hours')
  await count('d', 1)
  expect(await store.db.selectFrom('signing_counts').select('name').where('name', '=', 'c').execute()).toEqual([])
})
