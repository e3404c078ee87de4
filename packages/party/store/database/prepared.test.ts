/** Tests how statements are prepared and planned, and that the trust in every column is decided. */
import { readFile } from 'node:fs/promises'
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { sharedStore } from '../shared-store.fixture.ts'
import { openTestStore } from '../store.fixture.ts'
import type { Database } from './database.ts'
import { rowTrust, type Verdict } from './row-trust.fixture.ts'

const store = openedForEach(openTestStore)

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

/** Tables are not evidence: every column needs a verdict on what a forged value could cost. */
describe('row trust', () => {
  const store = sharedStore()

  const src = new URL('../../../', import.meta.url)
  const read = (path: string) => readFile(new URL(path, src), 'utf8')

  const verdicts = Object.entries(rowTrust).flatMap(([table, groups]) =>
    groups.flatMap(([columns, verdict]) => columns.split(' ').map((column) => ({ table, column, verdict }))),
  )

  test('every column of every table has exactly one verdict: add it to row-trust.fixture.ts', async () => {
    const { rows } = await sql<{ readonly name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'`.execute(store.db)
    expect(verdicts.map(({ table, column }) => `${table}.${column}`).toSorted()).toEqual(rows.map(({ name }) => name).toSorted())
  })

  const isTested = (verdict: Verdict) => 'tests' in verdict
  const tested = verdicts.filter(({ verdict }) => isTested(verdict))

  test.each([...new Set(tested.map(({ table }) => table))])('the tests that forge %s name each column', async (table) => {
    const unnamed = await Promise.all(
      tested
        .filter((one) => one.table === table)
        .map(async ({ column, verdict }) => {
          const texts = await Promise.all('tests' in verdict ? verdict.tests.map(read) : [])
          return texts.some((text) => new RegExp(`\\b${column}\\b`).test(text)) ? [] : [column]
        }),
    )
    expect(unnamed.flat()).toEqual([])
  })

  test('docs/trust.md has the words of every verdict', async () => {
    const trust = await read('../docs/trust.md')
    const words = new Set(verdicts.flatMap(({ verdict }) => ('told' in verdict ? [verdict.told] : [])))
    expect([...words].filter((told) => !trust.includes(told))).toEqual([])
  })
})
