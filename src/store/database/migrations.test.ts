import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { type Database, openDatabase } from './database.ts'
import { landedSchemas } from './landed-schemas.fixture.ts'
import { migrateIn, readMigrations } from './migrations.ts'
import type { Schema } from './schema.ts'
import { seeds } from './seeds.fixture.ts'

const migrations = await readMigrations()
const schemas = landedSchemas(migrations)

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

/** Undoes all that the work does. */
async function undone(work: (tx: Kysely<Schema>) => Promise<void>): Promise<void> {
  const end = new Error('undone')
  const transaction = db.transaction().execute(async (tx) => {
    await work(tx)
    throw end
  })
  await expect(transaction).rejects.toBe(end)
}

/** Makes the database as the version of then left it: its files, its records, and data. */
async function fill(tx: Kysely<Schema>, files: (typeof schemas)[number]['files']): Promise<void> {
  const steps = files.map(({ name, content, seedsOf }) => {
    const rows = name.slice(5) === seedsOf.slice(5) ? (seeds.get(seedsOf) ?? '') : ''
    return `${content};\n${rows};\ninsert into migrations (name) values ('${name}');`
  })
  const empty = 'drop schema public cascade; create schema public'
  await query(tx, `${empty}; create table migrations (name text primary key, applied_at timestamptz not null default now())`)
  await query(tx, steps.join('\n'))
}

/** What the database is made of, without the order of columns and without comments. */
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

/** A migration empties it on purpose: it is counted anew. */
const COUNTED_ANEW = ['order_volumes']

describe('a database of each earlier schema, with data in it, is migrated to that of today', () => {
  let today: readonly string[]
  beforeAll(async () => {
    today = await shapeOf(db)
  })

  test.each(schemas)('$title', ({ files }) =>
    undone(async (tx) => {
      await fill(tx, files)
      const before = await tablesOf(tx)
      await migrateIn(tx)
      expect(await shapeOf(tx)).toEqual(today)
      const { empty } = await tablesOf(tx)
      expect(before.filled.filter((table) => empty.includes(table) && !COUNTED_ANEW.includes(table))).toEqual([])
      const [order] = await query(
        tx,
        `select secret_signed_at is not null as signed, min(grants.deadline) as deadline, min(payer) as payer, min(attempts.nonce) as nonce
        from orders join actions on actions.order_id = orders.id join attempts on action_key = key join grants on grants.order_id = orders.id
          join swaps on swaps.order_id = orders.id
        where orders.id = 'order of user' group by orders.id`,
      )
      expect(order).toEqual({ signed: true, deadline: 1_800_000_000n, payer: 'payer', nonce: 7n })
      expect(await query(tx, "select nonce from attempts where slots = '{expires:9}'")).toEqual([{ nonce: 9n }])
    }),
  )

  test('each table of today has an example row', () =>
    undone(async (tx) => {
      await fill(tx, schemas.at(-1)?.files ?? [])
      expect((await tablesOf(tx)).empty, 'add a row to seeds.fixture.ts').toEqual([])
    }))
})

test('a landed migration never changes: its checksum is in SHA256SUMS', async () => {
  const sums = (await readFile(new URL('../migrations/SHA256SUMS', import.meta.url), 'utf8')).trim().split('\n')
  const actual = migrations.map(({ name, checksum }) => `${checksum}  ${name}`)
  // Of a new one: (cd src/store/migrations && sha256sum *.sql > SHA256SUMS)
  expect(actual).toEqual(sums)
})

describe('refuses a database', () => {
  const refused = (change: string, reason: RegExp) =>
    undone(async (tx) => {
      await query(tx, change)
      await expect(migrateIn(tx)).rejects.toThrow(reason)
    })

  test('that a newer version migrated', () =>
    refused(
      "insert into migrations (name) values ('9999_future.sql')",
      /newer version of this program \(9999_future\.sql\): run that version/,
    ))

  test('that was migrated with another content of a file', () =>
    refused("update migrations set checksum = 'other' where name = '0008_gasless.sql'", /another content of 0008_gasless\.sql/))

  test('when it is opened, by whatever command, and leaves it as it is', async () => {
    const database = await createTestDatabase()
    const first = await openDatabase(database.url)
    await first.insertInto('migrations').values({ name: '9999_future.sql', checksum: 'other' }).execute()
    await first.deleteFrom('migrations').where('name', '=', '0043_repairs.sql').execute()
    await expect(openDatabase(database.url)).rejects.toThrow('newer version')
    expect(await first.selectFrom('migrations').where('name', '=', '0043_repairs.sql').execute()).toEqual([])
    await first.destroy()
    await database.drop()
  })
})

test('the checksum is recorded, and that of an older record is added', () =>
  undone(async (tx) => {
    await query(tx, "update migrations set checksum = null where name = '0003_apps.sql'")
    await migrateIn(tx)
    const recorded = await tx.selectFrom('migrations').select(['name', 'checksum']).orderBy('name').execute()
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
    expect(recorded).toEqual(migrations.map(({ name, content }) => ({ name, checksum: sha256(content) })))
  }))
