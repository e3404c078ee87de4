/** Tables are memory, not evidence. Every column has a verdict on what a forged one could cost, and a new one needs one. */
import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestStore, type TestStore } from '../store.fixture.ts'
import { rowTrust, type Verdict } from './row-trust.fixture.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())

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

test('what remains is in docs/trust.md, in these words', async () => {
  const trust = await read('../docs/trust.md')
  const words = new Set(verdicts.flatMap(({ verdict }) => ('told' in verdict ? [verdict.told] : [])))
  expect([...words].filter((told) => !trust.includes(told))).toEqual([])
})
