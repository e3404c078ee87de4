import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestStore, type TestStore } from '../store.fixture.ts'
import type { Database } from './database.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
})
afterEach(() => store.close())

const preparedTexts = async (db: Database) =>
  (await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(db)).rows.map(({ statement }) => statement)

test('a statement of the query builder is prepared once per connection', async () => {
  await store.db.connection().execute(async (connection) => {
    const read = (id: string) => connection.selectFrom('orders').select('id').where('id', '=', id)
    for (const id of ['one', 'two', 'three']) await read(id).execute()
    const { sql: text } = read('any').compile()
    expect((await preparedTexts(connection)).filter((prepared) => prepared === text)).toHaveLength(1)
  })
})

test('statements are planned without their parameters, so that a plan serves every execution', async () => {
  await store.db.connection().execute(async (connection) => {
    const read = (id: string) => connection.selectFrom('orders').select('app').where('id', '=', id)
    for (const id of ['one', 'two', 'three']) await read(id).execute()
    const { sql: text } = read('any').compile()
    const { rows } = await sql<{ generic_plans: bigint; custom_plans: bigint }>`
      select generic_plans, custom_plans from pg_prepared_statements where statement = ${text}`.execute(connection)
    expect(rows).toEqual([{ generic_plans: 3n, custom_plans: 0n }])
  })
})

test('a plan that is made while a table is small uses its index, not a scan that grows with the table', async () => {
  await sql`insert into leases (name, holder, until) values ('one', 'holder', now())`.execute(store.db)
  await sql`analyze leases`.execute(store.db)
  const { rows } = await sql<{ 'QUERY PLAN': string }>`explain select holder from leases where name = 'one'`.execute(store.db)
  expect(rows.map((row) => row['QUERY PLAN']).join()).toContain('Index Scan using leases_pkey')
})

test('statements of ever new texts do not fill the memory of a connection, and still work', async () => {
  await store.db.connection().execute(async (connection) => {
    for (let count = 1; count <= 500; count += 1) {
      const values = Array.from({ length: count }, (_, index) => index)
      const { rows } = await sql<{
        n: bigint
      }>`select count(*) as n from (values ${sql.join(values.map((v) => sql`(${v}::int)`))}) as t`.execute(connection)
      expect(rows).toEqual([{ n: BigInt(count) }])
    }
    expect((await preparedTexts(connection)).length).toBeLessThanOrEqual(400)
  })
})

test('a migration by another process fails a prepared statement once at most', async () => {
  const readAll = () => sql`select * from commitments where order_id = ${'none'}`.execute(store.db)
  await readAll()
  await sql`alter table commitments add column later text`.execute(store.other)
  await readAll().catch(() => undefined)
  expect((await readAll()).rows).toEqual([])
})
