/** These tests show in how many readings a late payment is found, whatever number of orders nobody pays. */
import { createApp } from '@tandem/party/store/apps/apps.ts'
import { findOrder } from '@tandem/party/store/orders/orders.ts'
import { recordPrefund } from '@tandem/party/store/orders/prefunds.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { NOW, putOrder } from '@tandem/party/store/store.fixture.ts'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { createLatePages } from './late-deposits.ts'

const CHAIN = 'ethereum_localnet'
/** A reading never has more addresses than nodes answer for in one request. */
const MAX_ADDRESSES = 500
const MINUTE = 60n
const HOUR = 3_600n
const DAY = 86_400n
const store = sharedStore()

beforeAll(async () => {
  await createApp(store.db, 'shop')
})
const clear = () => sql`truncate orders, order_list cascade`.execute(store.db)

const expired = async (secondsAgo: bigint, changes: { readonly depositAddress?: null } = {}) =>
  (
    await putOrder(store.db, {
      app: 'shop',
      worth: { volumeUsdMicros: 1n, feeUsdMicros: 0n },
      deadline: NOW - secondsAgo,
      source: { chain: CHAIN, depositAddress: '0x12', ...changes },
    })
  ).order.id

/** Copies an order that nobody pays. The deadlines of the copies are spread over this range of ages. No trigger runs for a copy: that would take a minute. */
async function spam(count: number, youngest: bigint, oldest: bigint): Promise<void> {
  const like = await expired(youngest)
  const id = sql`md5(n::text) || md5('s' || n)`
  const deadline = sql`${NOW - oldest}::bigint + n * ${oldest - youngest}::bigint / ${count}::int`
  const copies = {
    orders: sql`jsonb_build_object('id', ${id}, 'seq', 1000000 + n, 'nonce', n::text, 'secret_hash', ${id}, 'deadline', ${deadline})`,
    swaps: sql`jsonb_build_object('order_id', ${id}, 'swap_id', leg || n, 'secret_hash', ${id})`,
    order_list: sql`jsonb_build_object('order_id', ${id}, 'seq', 1000000 + n, 'deadline', ${deadline}, 'status', 'expired'::text)`,
  }
  await store.db.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    for (const [name, changes] of Object.entries(copies)) {
      const table = sql.table(name)
      const isCopied = sql`t.${sql.ref(name === 'orders' ? 'id' : 'order_id')} = ${like}`
      const copy = sql`jsonb_populate_record(null::${table}, to_jsonb(t) || ${changes})`
      await sql`
        insert into ${table} overriding system value
        select copy.* from ${table} t, generate_series(0, ${count - 1}::int) n, ${copy} copy where ${isCopied}`.execute(tx)
    }
  })
  // The database does this by itself a minute later.
  await sql`analyze orders, swaps, order_list`.execute(store.db)
}

/** Each reading is this many seconds after the one before. */
async function readingsUntil(orderId: string, limit: number, seconds = 5n): Promise<number> {
  const next = createLatePages(store.db, CHAIN)
  for (let reading = 1; reading <= limit; reading += 1) {
    const { orders } = await next(NOW + BigInt(reading - 1) * seconds)
    expect(orders.length).toBeLessThanOrEqual(MAX_ADDRESSES)
    if (orders.some(({ order }) => order.id === orderId)) return reading
  }
  throw new Error(`the order is not read within ${limit} readings`)
}

describe('with 2,000 orders that expired unpaid within a week', () => {
  beforeAll(async () => {
    await clear()
    await spam(2_000, DAY, 6n * DAY)
  })

  test.each([
    ['a minute', MINUTE],
    ['ten minutes', 10n * MINUTE],
    ['an hour', HOUR],
    ['five hours', 5n * HOUR],
  ])('one that expired %s ago is read at once', async (_, ago) => {
    expect(await readingsUntil(await expired(ago), 1)).toBe(1)
  })

  test('one of their own age is read after those of this age, 44 at a time', async () => {
    expect(await readingsUntil(await expired(7n * DAY), 1)).toBe(1)
    // Some 1,067 of them expired before it within its age, which begins 73 hours after the deadline.
    const readings = await readingsUntil(await expired(80n * HOUR), 30)
    expect(readings).toBeGreaterThan(20)
  })

  test('one where money was seen before is read at once, and so is one that was initiated', async () => {
    const [seen, initiated] = [await expired(80n * HOUR), await expired(80n * HOUR)]
    await recordPrefund(store.db, seen, { amount: 5n, seenAt: new Date() })
    await recordPrefund(store.db, seen, { amount: 0n, seenAt: new Date() })
    await sql`update swaps set funded = true where order_id = ${initiated}`.execute(store.db)
    await store.db.updateTable('order_list').set({ status: 'initiated' }).where('order_id', '=', initiated).execute()
    expect(await readingsUntil(seen, 1)).toBe(1)
    expect(await readingsUntil(initiated, 1)).toBe(1)
  })
})

test('600 new ones a minute, of which none is paid: one that expires among them is read soon, and one of yesterday at once', async () => {
  await clear()
  await spam(2_400, 0n, 4n * MINUTE)
  expect(await readingsUntil(await expired(DAY), 1)).toBe(1)
  // 1,200 others expired within its two minutes.
  expect(await readingsUntil(await expired(1n), 29, 0n)).toBeGreaterThan(20)
})

test('every order is read in a round while time goes on', async () => {
  await clear()
  await spam(700, 0n, 6n * DAY)
  const all = new Set((await store.db.selectFrom('orders').select('id').execute()).map(({ id }) => id))
  const next = createLatePages(store.db, CHAIN)
  const read = new Set<string>()
  // Half of them are of the oldest age.
  for (let reading = 0n; reading < 9n; reading += 1n) {
    const page = await next(NOW + 1n + reading * 5n)
    for (const { order } of page.orders) read.add(order.id)
  }
  expect(read).toEqual(all)
})

test('neither closed ones are read, nor those with a recorded amount, nor those that can still be funded, nor such without an address', async () => {
  await clear()
  const [closed, shown, open, plain] = [
    await expired(HOUR),
    await expired(HOUR),
    await expired(-HOUR),
    await expired(HOUR, { depositAddress: null }),
  ]
  await store.db.updateTable('orders').set({ closed_at: new Date() }).where('id', '=', closed).execute()
  await recordPrefund(store.db, shown, { amount: 5n, seenAt: new Date() })
  await recordPrefund(store.db, open, { amount: 5n, seenAt: new Date() })
  await recordPrefund(store.db, open, { amount: 0n, seenAt: new Date() })
  expect(await createLatePages(store.db, CHAIN)(NOW)).toEqual({ orders: [], isLast: true })
  expect((await findOrder(store.db, plain))?.order.source.depositAddress).toBeNull()
})
