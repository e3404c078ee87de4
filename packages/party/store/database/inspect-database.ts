/** Inspects a party's database, read-only. */
import pg from 'pg'
import { bigintText, boolean, type Column, number, readAll, shape, text } from './columns.ts'
import {
  type AppliedMigration,
  appliedMigration,
  compareMigrations,
  type Refusal,
  readMigrations,
  SELECT_APPLIED,
  whyNotMigrate,
} from './migrations.ts'
import { ownerRow, type Recorded } from './owner.ts'

export type DatabaseReport = {
  readonly majorVersion: number
  readonly isReadOnly: boolean
  /** The next start would apply these migrations. */
  readonly pending: readonly string[]
  /** The reason why this version must not use the database; null if it may. */
  readonly refusal: Refusal | null
  /** The reason why an operator must confirm a restored backup; null if there is none. */
  readonly unconfirmedRestore: string | null
  /** The lead of the server's clock over ours, corrected by half of the round trip. */
  readonly clockAheadMs: number
  /** It is null if the tables are not those of this version. */
  readonly engines: { readonly running: number; readonly hasOpenOrders: boolean } | null
  /** It is null if no party has started on the database, or the tables are not those of this version. */
  readonly owner: Recorded | null
}

export async function inspectDatabase(url: string, timeoutMs: number): Promise<DatabaseReport> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs })
  // A dropped connection fails the query in progress, and that error is reported.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const [readOnly] = await select(client, shape({ value: text }), "select current_setting('transaction_read_only') as value")
    await client.query('set default_transaction_read_only = on')
    const [version] = await select(client, shape({ number: text }), "select current_setting('server_version_num') as number")
    const comparison = compareMigrations(await readMigrations(), await appliedMigrations(client))
    const [pending, refusal] = [comparison.pending.map(({ name }) => name), whyNotMigrate(comparison)]
    const engines = pending.length === 0 && refusal === null ? await countEngines(client) : null
    const owner = pending.length === 0 && refusal === null ? await readOwner(client) : null
    const restore = await unconfirmedRestore(client)
    const before = Date.now()
    const [clock] = await select(
      client,
      shape({ ms: bigintText }),
      'select floor(extract(epoch from clock_timestamp()) * 1000)::text as ms',
    )
    return {
      majorVersion: Math.floor(Number(version?.number) / 10_000),
      isReadOnly: readOnly?.value === 'on',
      pending,
      refusal,
      unconfirmedRestore: restore,
      clockAheadMs: Math.round(Number(clock?.ms) - (before + Date.now()) / 2),
      engines,
      owner,
    }
  } finally {
    await client.end()
  }
}

async function readOwner(client: pg.Client): Promise<Recorded | null> {
  return (await select(client, ownerRow, 'select party, vault_check from database_owner'))[0] ?? null
}

async function countEngines(client: pg.Client): Promise<DatabaseReport['engines']> {
  const [found] = await select(
    client,
    shape({ running: number, open: boolean }),
    `select count(*)::integer as running, exists (select from orders where closed_at is null) as open
    from leases where name like 'engine %' and until > now()`,
  )
  return { running: found?.running ?? 0, hasOpenOrders: found?.open ?? false }
}

/** This takes no lock of a migration. Before the first start there is no table. */
async function appliedMigrations(client: pg.Client): Promise<readonly AppliedMigration[]> {
  return (await hasTable(client, 'migrations')) ? select(client, appliedMigration, SELECT_APPLIED) : []
}

async function unconfirmedRestore(client: pg.Client): Promise<string | null> {
  if (!(await hasTable(client, 'rollbacks'))) return null
  const newest = 'select reason from rollbacks where confirmed_at is null order by detected_at desc limit 1'
  return (await select(client, shape({ reason: text }), newest))[0]?.reason ?? null
}

async function hasTable(client: pg.Client, name: string): Promise<boolean> {
  const [found] = await select(client, shape({ there: boolean }), `select to_regclass('${name}') is not null as there`)
  return found?.there === true
}

async function select<Row>(client: pg.Client, columns: Column<Row>, statement: string): Promise<readonly Row[]> {
  return readAll('the database', columns, (await client.query(statement)).rows)
}
