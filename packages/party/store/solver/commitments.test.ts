/** Tests that a solver commits either to pay or to sign a refund. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { sharedStore } from '../shared-store.fixture.ts'
import { statementsOf } from '../statements.fixture.ts'
import { putOrder, withResults } from '../store.fixture.ts'
import { commitTo, isCommittedTo } from './commitments.ts'

const store = sharedStore()

test.each([
  ['locked', 'refund_signed'],
  ['refund_signed', 'locked'],
] as const)('a commitment to %s is idempotent and excludes %s', async (way, otherWay) => {
  const { order } = await putOrder(store.db)
  expect(await isCommittedTo(store.db, order.id, way)).toBe(false)
  expect(await commitTo(store.db, order.id, way)).toBe(true)
  expect(await isCommittedTo(store.db, order.id, way)).toBe(true)
  expect(await isCommittedTo(store.db, order.id, otherWay)).toBe(false)
  expect(await commitTo(store.other, order.id, otherWay)).toBe(false)
  expect(await commitTo(store.db, order.id, way)).toBe(true)
})

test('commitments of different orders are independent', async () => {
  const [one, two] = [await putOrder(store.db), await putOrder(store.db)]
  expect(await commitTo(store.db, one.order.id, 'locked')).toBe(true)
  expect(await commitTo(store.db, two.order.id, 'refund_signed')).toBe(true)
})

test('exactly one of several concurrent commitments wins', async () => {
  for (let round = 0; round < 10; round++) {
    const { order } = await putOrder(store.db)
    const [locked, lockedToo, signed] = await Promise.all([
      commitTo(store.db, order.id, 'locked'),
      commitTo(store.other, order.id, 'locked'),
      commitTo(store.other, order.id, 'refund_signed'),
    ])
    expect(locked).toBe(lockedToo)
    expect(signed).toBe(!locked)
  }
})

test('waits for a commitment that another transaction is writing, and obeys it', async () => {
  const { order } = await putOrder(store.db)
  let late: Promise<boolean> | undefined
  await store.other.transaction().execute(async (tx) => {
    await commitTo(tx, order.id, 'refund_signed')
    late = commitTo(store.db, order.id, 'locked')
    await new Promise((resolve) => setTimeout(resolve, 100))
  })
  expect(await late).toBe(false)
})

test('costs one statement', async () => {
  const { order } = await putOrder(store.db)
  expect(await statementsOf(() => commitTo(store.db, order.id, 'locked'))).toHaveLength(1)
  expect(await statementsOf(() => commitTo(store.db, order.id, 'refund_signed'))).toHaveLength(1)
})

test('refuses a commitment for an unknown order', async () => {
  await expect(commitTo(store.db, 'unknown', 'locked')).rejects.toThrow('commitments_order_id_fkey')
})

test('concurrent commitments share few statements, and each gets its own answer', async () => {
  const ids = (await Promise.all(Array.from({ length: 20 }, () => putOrder(store.db)))).map(({ order }) => order.id)
  await commitTo(store.db, ids[7] ?? '', 'refund_signed')
  let statements = 0
  const db = withResults(store.db, () => {
    statements += 1
  })
  const committed = await Promise.all(ids.map((id) => commitTo(db, id, 'locked')))
  expect(committed).toEqual(ids.map((_, index) => index !== 7))
  expect(statements).toBeLessThanOrEqual(3)
})

test('a commitment that another transaction is making is waited for and seen', async () => {
  const { order } = await putOrder(store.db)
  const waiting = await store.other.transaction().execute(async (tx) => {
    await commitTo(tx, order.id, 'refund_signed')
    const started = commitTo(store.db, order.id, 'locked')
    for (let isWaiting = false; !isWaiting; ) {
      const { rows } = await sql`
        select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(store.db)
      isWaiting = rows.length > 0
    }
    return { started }
  })
  expect(await waiting.started).toBe(false)
})
