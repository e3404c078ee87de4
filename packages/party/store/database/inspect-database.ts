/** Inspects a party's database, read-only. */
import pg from 'pg'
import { type AppliedMigration, compareMigrations, type Refusal, readMigrations, SELECT_APPLIED, whyNotMigrate } from './migrations.ts'
import type { Recorded } from './owner.ts'

export type DatabaseReport = {
  /** 14.2 → 14. */
  readonly majorVersion: number
  /** A standby, or set to read-only. */
  readonly isReadOnly: boolean
  /** Migrations that the next start would apply. */
  readonly pending: readonly string[]
  /** Why this version must not use it; null: it may. */
  readonly refusal: Refusal | null
  /** Why an operator must confirm that it was restored from a backup; null: nothing waits. */
  readonly unconfirmedRestore: string | null
  /** How far the server's clock is ahead of ours, corrected by half of the round trip. */
  readonly clockAheadMs: number
  /** Null: its tables are not those of this version. */
  readonly engines: { readonly running: number; readonly hasOpenOrders: boolean } | null
  /** Null: nobody has started on it, or its tables are not those of this version. */
  readonly owner: Recorded | null
}

export async function inspectDatabase(url: string, timeoutMs: number): Promise<DatabaseReport> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs })
  // A dropped connection fails the query in progress, and that error is reported.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const readOnly = await client.query<{ value: string }>("select current_setting('transaction_read_only') as value")
    await client.query('set default_transaction_read_only = on')
    const version = await client.query<{ version: string }>("select current_setting('server_version_num') as version")
    const comparison = compareMigrations(await readMigrations(), await appliedMigrations(client))
    const [pending, refusal] = [comparison.pending.map(({ name }) => name), whyNotMigrate(comparison)]
    const engines = pending.length === 0 && refusal === null ? await countEngines(client) : null
    const owner = pending.length === 0 && refusal === null ? await readOwner(client) : null
    const restore = await unconfirmedRestore(client)
    const before = Date.now()
    const clock = await client.query<{ ms: string }>('select floor(extract(epoch from clock_timestamp()) * 1000)::text as ms')
    return {
      majorVersion: Math.floor(Number(version.rows[0]?.version) / 10_000),
      isReadOnly: readOnly.rows[0]?.value === 'on',
      pending,
      refusal,
      unconfirmedRestore: restore,
      clockAheadMs: Math.round(Number(clock.rows[0]?.ms) - (before + Date.now()) / 2),
      engines,
      owner,
    }
  } finally {
    await client.end()
  }
}

async function readOwner(client: pg.Client): Promise<Recorded | null> {
  return (await client.query<Recorded>('select party, vault_check from database_owner')).rows[0] ?? null
}

async function countEngines(client: pg.Client): Promise<DatabaseReport['engines']> {
  const { rows } = await client.query<{ running: number; open: boolean }>(
    `select count(*)::integer as running, exists (select from orders where closed_at is null) as open
    from leases where name like 'engine %' and until > now()`,
  )
  return { running: rows[0]?.running ?? 0, hasOpenOrders: rows[0]?.open ?? false }
}

/** Without the lock of a migration. Before the first start there is no table. */
async function appliedMigrations(client: pg.Client): Promise<readonly AppliedMigration[]> {
  const { rows } = await client.query<{ there: boolean }>("select to_regclass('migrations') is not null as there")
  return rows[0]?.there === true ? (await client.query<AppliedMigration>(SELECT_APPLIED)).rows : []
}

/** Before its migration there is no table. */
async function unconfirmedRestore(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ there: boolean }>("select to_regclass('rollbacks') is not null as there")
  if (rows[0]?.there !== true) return null
  const newest = 'select reason from rollbacks where confirmed_at is null order by detected_at desc limit 1'
  return (await client.query<{ reason: string }>(newest)).rows[0]?.reason ?? null
}
