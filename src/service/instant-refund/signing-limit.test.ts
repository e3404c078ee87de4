import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestStore, type TestStore } from '../../store/store.fixture.ts'
import { createSigningLimit, type SigningLimit } from './signing-limit.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())

const times = async (count: number, run: () => Promise<void>) => {
  for (let index = 0; index < count; index += 1) await run()
}
const limited = expect.objectContaining({ code: 'rate_limited', message: expect.stringContaining('10 times in a minute') })

test('allows ten signings a minute for each order and asker, over all processes, and says when to try again', async () => {
  let now = 0
  const processes = [createSigningLimit(store.db, () => now), createSigningLimit(store.db, () => now)] as const
  const [first, second] = processes
  await times(5, () => first.count('order', 'anyone'))
  await times(5, () => second.count('order', 'anyone'))
  await expect(first.count('order', 'anyone')).rejects.toThrow(limited)
  await expect(second.count('order', 'anyone')).rejects.toThrow(limited)
  await times(10, () => first.count('order', 'token holder'))
  await expect(first.count('order', 'token holder')).rejects.toThrow(limited)
  await first.count('another order', 'anyone')

  await sql`update signing_counts set ends_at = now() - interval '1 second'`.execute(store.db)
  now = 60_500
  await first.count('order', 'anyone')
})

test('once it is reached, refuses without a statement until the window ends', async () => {
  let now = 0
  const limit: SigningLimit = createSigningLimit(store.db, () => now)
  limit.check('busy', 'anyone')
  await times(10, () => limit.count('busy', 'anyone'))
  await sql`update signing_counts set ends_at = now() + interval '39.5 seconds' where name = 'busy anyone'`.execute(store.db)
  const inForty = expect.objectContaining({ retryAfterSeconds: 40, message: expect.stringContaining('try again in 40 seconds') })
  await expect(limit.count('busy', 'anyone')).rejects.toThrow(inForty)
  const counted = () => store.db.selectFrom('signing_counts').select('signings').where('name', '=', 'busy anyone').executeTakeFirst()
  const before = await counted()
  expect(() => limit.check('busy', 'anyone')).toThrow(limited)
  await expect(limit.count('busy', 'anyone')).rejects.toThrow(limited)
  expect(await counted()).toEqual(before)
  now = 40_000
  limit.check('busy', 'anyone')
})
