/** Tests that a row that differs from its description fails. */
import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { sharedStore } from '../shared-store.fixture.ts'
import {
  bigint,
  bigintText,
  boolean,
  bytes,
  fields,
  known,
  listOf,
  listOrNull,
  mapOf,
  nullable,
  number,
  oneOf,
  shape,
  text,
  time,
} from './columns.ts'
import { assetId } from './domain-columns.ts'
import { prepare, readRows } from './prepared.ts'

const store = sharedStore()

const now = new Date(0)

test.each([
  ['text', text, 'a', 1],
  ['boolean', boolean, false, 'false'],
  ['number', number, 1.5, '1.5'],
  ['bigint', bigint, 1n, '1'],
  ['time', time, now, '1970-01-01'],
  ['bytes', bytes, Buffer.from('a'), 'a'],
  ['oneOf a list', oneOf(['a', 'b']), 'b', 'c'],
  ['oneOf keys', oneOf<'a'>({ a: true }), 'a', 'toString'],
  ['nullable', nullable(text), null, undefined],
  ['listOf', listOf(text), ['a'], [1]],
  ['mapOf', mapOf(number), { a: 1 }, { a: 'b' }],
  ['shape', shape({ a: text }), { a: 'b' }, {}],
  ['assetId', assetId, 'bitcoin:btc', 'btc'],
])('%s reads what it describes, and nothing else', (_, column: (value: unknown) => unknown, right, wrong) => {
  expect(column(right)).toEqual(right)
  expect(() => column(wrong)).toThrow('expected')
  expect(() => column(undefined)).toThrow('expected')
})

test('big numbers that come as text are converted, and other texts are none', () => {
  expect(bigintText('-12345678901234567890')).toBe(-12345678901234567890n)
  for (const wrong of ['', ' ', '0x10', '1.5', 12]) expect(() => bigintText(wrong)).toThrow('digits')
})

test('a list of fixed length is read into names, and another length is refused', () => {
  const pair = fields({ id: text, amount: bigintText })
  expect(pair(['a', '5'])).toEqual({ id: 'a', amount: 5n })
  expect(() => pair(['a'])).toThrow('a list of 2')
  expect(() => pair(['a', '5', 'b'])).toThrow('a list of 2')
})

test('what another version may have written is null if this one does not know it', () => {
  const word = known(oneOf(['a']))
  expect(['a', 'b', 1, null].map(word)).toEqual(['a', null, null, null])
})

test('without rows json_agg is null: an empty list', () => {
  expect(listOrNull(text)(null)).toEqual([])
})

describe('a row that differs from its description fails the statement', () => {
  const columns = shape({ id: text, sealed: nullable(number) })
  const problem = 'unexpected row: sealed: a number is expected, and string was read'

  test('that is prepared: the error names statement and column, and no value', async () => {
    const read = prepare('read-unexpected', columns, "select 'a' as id, $1::text as sealed")
    expect(await read(store.db, [null])).toEqual([{ id: 'a', sealed: null }])
    const failed = await read(store.db, ['the secret']).catch(String)
    expect(failed).toContain(`read-unexpected returned an ${problem}`)
    expect(failed).not.toContain('the secret')
  })

  test('that is composed', async () => {
    await expect(readRows(store.db, columns)`select 'a' as id, ${'the secret'}::text as sealed`).rejects.toThrow(problem)
  })
})

/** No check can replace these assertions. Each has its reason in its place. */
const ASSERTIONS = ['database/columns.ts: return found as Readonly<T>', 'database/database.ts: } as pg.CustomTypesConfig']

test('no statement of the store asserts its rows: each names its columns', async () => {
  const folder = new URL('../', import.meta.url)
  const files = (await readdir(folder, { recursive: true })).filter((name) => /^(?!embedded).*(?<!\.test|\.fixture)\.ts$/.test(name))
  // Fragments have types for the query builder: a condition, a time, or a list of texts to compare with.
  const asserted =
    /\bsql(\.raw)?<(?!(boolean|Date|string)>`)|\.(query|executeQuery|\$castTo|countAll)<|^(?! *(\/\*|\*|\/\/)).*\bas ((unknown|never|any|readonly|pg|[A-Z]\w+)\b|\{)/
  const found = await Promise.all(
    files.map(async (name) => {
      const lines = (await readFile(new URL(name, folder), 'utf8')).split('\n')
      return lines.filter((line) => asserted.test(line)).map((line) => `${name}: ${line.trim()}`)
    }),
  )
  expect(found.flat().sort()).toEqual(ASSERTIONS)
})
