/** Inspects a party's database, read-only. */
import pg from 'pg'
import { migrationNames } from './database.ts'

export type DatabaseReport = {
  /** 14.2 → 14. */
  readonly majorVersion: number
  /** Migrations that the next start would apply. */
  readonly pending: readonly string[]
  /** Applied migrations that this version does not know: a newer version applied them. */
  readonly foreign: readonly string[]
  /** How far the server's clock is ahead of ours, corrected by half of the round trip. */
  readonly clockAheadMs: number
}

export async function inspectDatabase(url: string, timeoutMs: number): Promise<DatabaseReport> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs })
  // A dropped connection fails the query in progress, and that error is reported.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('set default_transaction_read_only = on')
    const version = await client.query<{ version: string }>("select current_setting('server_version_num') as version")
    const known = await migrationNames()
    const applied = await appliedMigrations(client)
    const before = Date.now()
    const clock = await client.query<{ ms: string }>('select floor(extract(epoch from clock_timestamp()) * 1000)::text as ms')
    return {
      majorVersion: Math.floor(Number(version.rows[0]?.version) / 10_000),
      pending: known.filter((name) => !applied.includes(name)),
      foreign: applied.filter((name) => !known.includes(name)),
      clockAheadMs: Math.round(Number(clock.rows[0]?.ms) - (before + Date.now()) / 2),
    }
  } finally {
    await client.end()
  }
}

async function appliedMigrations(client: pg.Client): Promise<readonly string[]> {
  const table = await client.query<{ found: boolean }>("select to_regclass('migrations') is not null as found")
  if (table.rows[0]?.found !== true) return []
  return (await client.query<{ name: string }>('select name from migrations')).rows.map((row) => row.name)
}
