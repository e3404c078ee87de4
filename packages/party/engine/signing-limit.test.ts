/** Tests how many signatures a name may cause in a minute. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { createSigningLimit } from './signing-limit.ts'

const store = sharedStore()

const limitOf = (name: string) => ({ name, perMinute: 10, what: `${name} was signed 10 times in a minute` })
const limited = expect.objectContaining({ code: 'rate_limited', message: expect.stringContaining('10 times in a minute') })

test('allows so many signings a minute for each name, over all processes', async () => {
  let now = 0
  const [first, second] = [createSigningLimit(store.db, () => now), createSigningLimit(store.other, () => now)]
  const order = limitOf('order')
  await first.count(order, 5)
  await second.count(order, 4)
  await first.count(order)
  await expect(first.count(order)).rejects.toThrow(limited)
  await expect(second.count(order)).rejects.toThrow(limited)
  await first.count(limitOf('another order'), 10)
  await expect(first.count(limitOf('a third order'), 11)).rejects.toThrow(limited)

  await sql`update signing_counts set ends_at = now() - interval '1 second'`.execute(store.db)
  now = 60_500
  await first.count(order, 10)
})

test('once it is reached, refuses without a statement until the window ends, and says when to try again', async () => {
  let now = 0
  const limit = createSigningLimit(store.db, () => now)
  const busy = limitOf('busy')
  limit.check(busy)
  await limit.count(busy, 10)
  limit.check(busy)
  await sql`update signing_counts set ends_at = now() + interval '39.5 seconds' where name = 'busy'`.execute(store.db)
  const inForty = expect.objectContaining({ retryAfterSeconds: 40, message: expect.stringContaining('try again in 40 seconds') })
  await expect(limit.count(busy)).rejects.toThrow(inForty)
  const counted = () => store.db.selectFrom('signing_counts').select('signings').where('name', '=', 'busy').executeTakeFirst()
  const before = await counted()
  expect(() => limit.check(busy)).toThrow(limited)
  await expect(limit.count(busy)).rejects.toThrow(limited)
  expect(await counted()).toEqual(before)
  now = 40_000
  limit.check(busy)
})
