/** Applies pending migrations, and refuses a database that this version must not touch. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'
import type { Schema } from './schema.ts'

const MIGRATIONS = new URL('../migrations/', import.meta.url)
/** An arbitrary constant. Two processes that start together must not migrate at the same time. */
const MIGRATION_LOCK = 7_206_001

export type Migration = {
  readonly name: string
  readonly content: string
  /** SHA-256 of the content, hex. It is recorded when the migration is applied. */
  readonly checksum: string
}

/** Null: applied by a version that did not record it. */
export type AppliedMigration = { readonly name: string; readonly checksum: string | null }

/** Names under which migrations landed first. Databases from then have them on record. */
const FORMER_NAMES: ReadonlyMap<string, string> = new Map([
  ['0011_skipped_heights.sql', '0012_skipped_heights.sql'],
  ['0012_expiry.sql', '0013_expiry.sql'],
  ['0013_prefunds.sql', '0014_prefunds.sql'],
  ['0013_secret_signed.sql', '0015_secret_signed.sql'],
  ['0014_order_key_and_payer.sql', '0016_order_key_and_payer.sql'],
  ['0022_inventory_marks.sql', '0021_inventory_marks.sql'],
  ['0023_considered_deposits.sql', '0022_considered_deposits.sql'],
  ['0028_open_swaps.sql', '0027_open_swaps.sql'],
  ['0030_signing_counts.sql', '0028_signing_counts.sql'],
  ['0031_revert_weights.sql', '0032_revert_weights.sql'],
])

/** Landed once and taken back. What they made is dropped by a later migration. */
const WITHDRAWN: ReadonlySet<string> = new Set(['0029_facts_marks.sql'])

/** In the order of application. */
export async function readMigrations(): Promise<readonly Migration[]> {
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const content = await readFile(new URL(name, MIGRATIONS), 'utf8')
      return { name, content, checksum: createHash('sha256').update(content).digest('hex') }
    }),
  )
}

export type Comparison = {
  /** To be applied. */
  readonly pending: readonly Migration[]
  /** Applied, but this version does not know them: a newer one applied them. */
  readonly foreign: readonly string[]
  /** Applied with another content than this version has. */
  readonly changed: readonly string[]
}

export function compareMigrations(known: readonly Migration[], recorded: readonly AppliedMigration[]): Comparison {
  const applied = new Map(recorded.map(({ name, checksum }) => [FORMER_NAMES.get(name) ?? name, checksum]))
  const names = new Set(known.map(({ name }) => name))
  return {
    pending: known.filter(({ name }) => !applied.has(name)),
    foreign: [...applied.keys()].filter((name) => !names.has(name) && !WITHDRAWN.has(name)),
    changed: known.flatMap(({ name, checksum }) => ((applied.get(name) ?? checksum) === checksum ? [] : [name])),
  }
}

export type Refusal = { readonly problem: string; readonly advice: string }

/** Null: this version may use the database, after it has applied what is pending. */
export function whyNotMigrate({ foreign, changed }: Comparison): Refusal | null {
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

/** All or nothing. */
export async function migrate(db: Kysely<Schema>): Promise<void> {
  await db.transaction().execute(migrateIn)
}

/** In a transaction. */
export async function migrateIn(tx: Kysely<Schema>): Promise<void> {
  const known = await readMigrations()
  await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(tx)
  await sql`create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())`.execute(tx)
  // Not `if not exists`: that would lock the table at every start.
  if (!(await hasChecksums(tx))) await sql`alter table migrations add column checksum text`.execute(tx)
  const recorded = await tx.selectFrom('migrations').select(['name', 'checksum']).execute()
  const comparison = compareMigrations(known, recorded)
  const refusal = whyNotMigrate(comparison)
  if (refusal !== null) throw new Error(`${refusal.problem}: ${refusal.advice}`)
  await correctRecords(tx, known, recorded)
  for (const { name, content, checksum } of comparison.pending) {
    await sql.raw(content).execute(tx)
    await tx.insertInto('migrations').values({ name, checksum }).execute()
  }
}

async function hasChecksums(tx: Kysely<Schema>): Promise<boolean> {
  const column = sql`select from pg_attribute where attrelid = 'migrations'::regclass and attname = 'checksum'`
  return (await column.execute(tx)).rows.length > 0
}

/** Records of older versions get their names and checksums of today. The repairs make such a database equal to a new one. */
async function correctRecords(tx: Kysely<Schema>, known: readonly Migration[], recorded: readonly AppliedMigration[]): Promise<void> {
  for (const { name } of recorded) {
    const current = FORMER_NAMES.get(name)
    if (current !== undefined) await tx.updateTable('migrations').set({ name: current }).where('name', '=', name).execute()
    if (WITHDRAWN.has(name)) await tx.deleteFrom('migrations').where('name', '=', name).execute()
  }
  if (recorded.every(({ checksum }) => checksum !== null)) return
  for (const { name, checksum } of known)
    await tx.updateTable('migrations').set({ checksum }).where('name', '=', name).where('checksum', 'is', null).execute()
}
