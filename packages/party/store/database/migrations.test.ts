/** Tests that a database of each earlier version is migrated with its data. */
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { type Database, openDatabase } from './database.ts'
import { type Migration, migrate, migrateIn, readMigrations } from './migrations.ts'
import type { Schema } from './schema.ts'
import { seeds } from './seeds.fixture.ts'

const folder = new URL('../migrations/', import.meta.url)
const migrations = await readMigrations()
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

let place: TestDatabase
let db: Database
beforeAll(async () => {
  place = await createTestDatabase()
  db = await openDatabase(place.url)
})
afterAll(async () => {
  await db.destroy()
  await place.drop()
})

const query = async <T extends object>(tx: Kysely<Schema>, text: string) => (await sql.raw<T>(text).execute(tx)).rows

/** The work runs in a transaction that is rolled back. */
async function undone(work: (tx: Kysely<Schema>) => Promise<void>): Promise<void> {
  const end = new Error('undone')
  const transaction = db.transaction().execute(async (tx) => {
    await work(tx)
    throw end
  })
  await expect(transaction).rejects.toBe(end)
}

const EMPTY = 'drop schema public cascade; create schema public'

/** Makes the database as the version with these migrations left it, with example rows. */
async function fill(tx: Kysely<Schema>, applied: readonly Migration[]): Promise<void> {
  await query(tx, EMPTY)
  for (const [index, { name }] of applied.entries()) {
    await migrateIn(tx, applied.slice(0, index + 1))
    await query(tx, seeds.get(name) ?? '')
  }
}

/** The order of columns and comments do not count. */
async function shapeOf(tx: Kysely<Schema>): Promise<readonly string[]> {
  const rows = await query<{ what: string }>(
    tx,
    `select format('%s.%s %s %s %s %s', table_name, column_name, data_type, is_nullable, column_default, identity_generation) as what
      from information_schema.columns where table_schema = 'public'
    union all select indexdef from pg_indexes where schemaname = 'public'
    union all select format('%s %s', conrelid::regclass, pg_get_constraintdef(oid)) from pg_constraint where connamespace = 'public'::regnamespace
    union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    union all select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace`,
  )
  return rows.map(({ what }) => what.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ')).sort()
}

async function tablesOf(tx: Kysely<Schema>): Promise<{ readonly filled: readonly string[]; readonly empty: readonly string[] }> {
  const tables = await query<{ name: string }>(tx, "select tablename as name from pg_tables where schemaname = 'public'")
  const asked = tables.map(({ name }) => `select '${name}' as name, exists (select from ${name}) as filled`)
  const rows = await query<{ name: string; filled: boolean }>(tx, asked.join(' union all '))
  const named = (filled: boolean) => rows.flatMap((row) => (row.filled === filled ? [row.name] : [])).sort()
  return { filled: named(true), empty: named(false) }
}

describe('a database of each earlier version, with data in it, is migrated to that of today', () => {
  let today: readonly string[]
  beforeAll(async () => {
    today = await shapeOf(db)
  })

  test.each(migrations.map(({ name }, index) => ({ name, applied: migrations.slice(0, index + 1) })))('up to $name', ({ applied }) =>
    undone(async (tx) => {
      await fill(tx, applied)
      const before = await tablesOf(tx)
      await migrateIn(tx, migrations)
      expect(await shapeOf(tx)).toEqual(today)
      const { empty } = await tablesOf(tx)
      expect(before.filled.filter((table) => empty.includes(table))).toEqual([])
    }),
  )

  test('each table of today has an example row', () =>
    undone(async (tx) => {
      await fill(tx, migrations)
      expect((await tablesOf(tx)).empty, 'add a row to seeds.fixture.ts').toEqual([])
    }))
})

test('a landed migration never changes: its checksum is in SHA256SUMS', async () => {
  const sums = (await readFile(new URL('SHA256SUMS', folder), 'utf8')).trim().split('\n')
  const actual = migrations.map(({ name, checksum }) => `${checksum}  ${name}`)
  // After adding a migration, run (cd packages/party/store/migrations && sha256sum *.sql > SHA256SUMS)
  expect(actual).toEqual(sums)
})

describe('a function is changed in its file, and by a new migration that names the new version', () => {
  let home: string
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'tandem-migrations-'))
  })
  afterAll(() => rm(home, { recursive: true }))

  const answering = (answer: number) => `create or replace function answer() returns integer language sql as $$ select ${answer} $$;\n`
  const applying = (content: string) => `\\ir functions/answer.sql -- ${sha256(content)}\n`

  async function versionWith(files: readonly string[], functionFile: string): Promise<readonly Migration[]> {
    const version = await mkdtemp(join(home, 'version-'))
    await mkdir(join(version, 'functions'))
    await writeFile(join(version, 'functions', 'answer.sql'), functionFile)
    for (const [index, content] of files.entries()) await writeFile(join(version, `000${index + 1}_test.sql`), content)
    return readMigrations(pathToFileURL(`${version}/`))
  }

  const FIRST = `create table made ();\n${applying(answering(1))}`
  const SECOND = `alter table made add column n integer;\n${applying(answering(2))}`
  const answerIn = async (tx: Kysely<Schema>) => query(tx, 'select answer()')

  test('an old database and a new one get the new version', async () => {
    const old = await versionWith([FIRST], answering(1))
    const today = await versionWith([FIRST, SECOND], answering(2))
    await undone(async (tx) => {
      await query(tx, EMPTY)
      await migrateIn(tx, old)
      expect(await answerIn(tx)).toEqual([{ answer: 1 }])
      await migrateIn(tx, today)
      expect(await answerIn(tx)).toEqual([{ answer: 2 }])
      await expect(migrateIn(tx, old)).rejects.toThrow('newer version of this program (0002_test.sql)')
    })
    await undone(async (tx) => {
      await query(tx, EMPTY)
      await migrateIn(tx, today)
      expect(await answerIn(tx)).toEqual([{ answer: 2 }])
    })
  })

  test.each([
    ['changed', [FIRST], answering(2)],
    ['put back', [FIRST, SECOND], answering(1)],
    ['new', ['create table made ();'], answering(1)],
  ])('a file that is %s without a migration is refused, with the line to add', async (_, files, content) => {
    await expect(versionWith(files, content)).rejects.toThrow(applying(content).trim())
  })
})

describe('refuses a database', () => {
  const refused = (change: string, reason: RegExp) =>
    undone(async (tx) => {
      await query(tx, change)
      await expect(migrateIn(tx, migrations)).rejects.toThrow(reason)
    })

  test('that a newer version migrated', () =>
    refused(
      "insert into migrations (name, checksum) values ('9999_future.sql', 'other')",
      /newer version of this program \(9999_future\.sql\): run that version/,
    ))

  test('that was migrated with another content of a file', () =>
    refused("update migrations set checksum = 'other' where name = '0001_baseline.sql'", /another content of 0001_baseline\.sql/))

  test.each([
    ['with checksums', 'checksum text', "'0001_core.sql', now(), 'other'"],
    ['without checksums', '', "'0001_core.sql', now()"],
  ])('of an unreleased version, %s, and says what to do', (_, column, values) =>
    refused(
      `${EMPTY};
      create table migrations (name text primary key, applied_at timestamptz not null default now()${column === '' ? '' : `, ${column}`});
      insert into migrations values (${values})`,
      /before the first release.*: let the version that made it finish its open orders, then name a new, empty database in database_url/,
    ),
  )

  test('when it is opened, by whatever command, and leaves it as it is', async () => {
    const database = await createTestDatabase()
    const first = await openDatabase(database.url)
    await first.insertInto('migrations').values({ name: '9999_future.sql', checksum: 'other' }).execute()
    await first.deleteFrom('migrations').where('name', '=', '0001_baseline.sql').execute()
    await expect(openDatabase(database.url)).rejects.toThrow('newer version')
    expect(await first.selectFrom('migrations').where('name', '=', '0001_baseline.sql').execute()).toEqual([])
    await first.destroy()
    await database.drop()
  })
})

test('if one of several migrations fails, none is applied', async () => {
  const next = { name: '9998_next.sql', content: 'create table next ()', checksum: 'a' }
  const broken = { name: '9999_broken.sql', content: 'create table broken (', checksum: 'b' }
  await expect(migrate(db, [...migrations, next, broken])).rejects.toThrow('syntax error')
  expect(await query(db, "select to_regclass('next') as next")).toEqual([{ next: null }])
  expect(await db.selectFrom('migrations').selectAll().where('name', '=', next.name).execute()).toEqual([])
})

test('the checksum of its file is recorded with a migration', async () => {
  const recorded = await db.selectFrom('migrations').select(['name', 'checksum']).orderBy('name').execute()
  const files = await Promise.all(
    migrations.map(async ({ name }) => ({ name, checksum: sha256(await readFile(new URL(name, folder), 'utf8')) })),
  )
  expect(recorded).toEqual(files)
})
