/** Applies pending migrations, and refuses a database that this version must not touch. ../migrations/README.md tells how to add one. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'
import { nullable, shape, text } from './columns.ts'
import { readRows } from './prepared.ts'
import type { Schema } from './schema.ts'

const MIGRATIONS = new URL('../migrations/', import.meta.url)
/** An arbitrary constant. Two processes that start together must not migrate at the same time. */
const MIGRATION_LOCK = 7_206_001
/** The first migration of versions that were never released. It names their databases. */
const UNRELEASED = '0001_core.sql'

export type Migration = {
  readonly name: string
  /** The content includes the function files that the migration applies. */
  readonly content: string
  /** The SHA-256 of the file in hex is recorded when the migration is applied. */
  readonly checksum: string
}

/** `checksum` is null in a database of an unreleased version. */
export type AppliedMigration = { readonly name: string; readonly checksum: string | null }

/** A line that applies a function file. The checksum names the file's version, so the migration never changes. */
const APPLIES = /^\\ir functions\/(\w+\.sql) -- ([0-9a-f]{64})$/gm

const sha256 = (content: string) => createHash('sha256').update(content).digest('hex')

async function readSqlFiles(folder: URL): Promise<readonly (readonly [name: string, content: string])[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(names.map(async (name) => [name, await readFile(new URL(name, folder), 'utf8')] as const))
}

/** Throws if a function file is not the version that the newest migration with its name applies. */
export async function readMigrations(folder = MIGRATIONS): Promise<readonly Migration[]> {
  const files = await readSqlFiles(folder)
  const functions = new Map(await readSqlFiles(new URL('functions/', folder)))
  const newest = new Map<string, { readonly migration: string; readonly checksum: string }>()
  for (const [migration, content] of files)
    for (const [, name = '', checksum = ''] of content.matchAll(APPLIES)) newest.set(name, { migration, checksum })
  for (const name of new Set([...functions.keys(), ...newest.keys()])) {
    const checksum = sha256(functions.get(name) ?? '')
    if (newest.get(name)?.checksum !== checksum)
      throw new Error(
        `functions/${name} differs from what the migrations apply: add one with the line \\ir functions/${name} -- ${checksum}`,
      )
  }
  return files.map(([name, content]) => ({
    name,
    // A function that a later migration changes is applied there, in its newest version.
    content: content.replace(APPLIES, (_, file: string) => (newest.get(file)?.migration === name ? (functions.get(file) ?? '') : '')),
    checksum: sha256(content),
  }))
}

export type Comparison = {
  readonly pending: readonly Migration[]
  /** A newer version applied these, and this version does not know them. */
  readonly foreign: readonly string[]
  /** These were applied with another content than this version has. */
  readonly changed: readonly string[]
}

export function compareMigrations(known: readonly Migration[], recorded: readonly AppliedMigration[]): Comparison {
  const applied = new Map(recorded.map(({ name, checksum }) => [name, checksum]))
  const names = new Set(known.map(({ name }) => name))
  return {
    pending: known.filter(({ name }) => !applied.has(name)),
    foreign: [...applied.keys()].filter((name) => !names.has(name)),
    changed: known.flatMap(({ name, checksum }) => (applied.has(name) && applied.get(name) !== checksum ? [name] : [])),
  }
}

export type Refusal = { readonly problem: string; readonly advice: string }

/** Returns null if this version may use the database after it has applied what is pending. */
export function whyNotMigrate({ foreign, changed }: Comparison): Refusal | null {
  if (foreign.includes(UNRELEASED))
    return {
      problem: 'the database was made by a version from before the first release, and its tables cannot be migrated',
      advice: 'let the version that made it finish its open orders, then name a new, empty database in database_url',
    }
  if (foreign.length > 0)
    return {
      problem: `the database was migrated by a newer version of this program (${foreign.join(', ')})`,
      advice: 'run that version, or restore a backup from before it',
    }
  if (changed.length > 0)
    return {
      problem: `the database was migrated with another content of ${changed.join(', ')} than this program has`,
      advice: 'run the version that migrated it, or install this one anew',
    }
  return null
}

export async function migrate(db: Kysely<Schema>, known?: readonly Migration[]): Promise<void> {
  const migrations = known ?? (await readMigrations())
  await db.transaction().execute((tx) => migrateIn(tx, migrations))
}

/** Databases of the oldest unreleased versions have no column for the checksum. */
export const SELECT_APPLIED = "select name, to_jsonb(migrations) ->> 'checksum' as checksum from migrations"
export const appliedMigration = shape({ name: text, checksum: nullable(text) })

/** This must run in a transaction. */
export async function migrateIn(tx: Kysely<Schema>, known: readonly Migration[]): Promise<void> {
  await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(tx)
  await sql`
    create table if not exists migrations (
      name text primary key, applied_at timestamptz not null default now(), checksum text not null
    )`.execute(tx)
  const comparison = compareMigrations(known, await readRows(tx, appliedMigration)`${sql.raw(SELECT_APPLIED)}`)
  const refusal = whyNotMigrate(comparison)
  if (refusal !== null) throw new Error(`${refusal.problem}: ${refusal.advice}`)
  for (const { name, content, checksum } of comparison.pending) {
    await sql.raw(content).execute(tx)
    await tx.insertInto('migrations').values({ name, checksum }).execute()
  }
}
