/** Opens the PostgreSQL database of one party and applies pending migrations. */
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { migrate } from './migrations.ts'
import { withPreparedStatements } from './prepared.ts'
import type { Schema } from './schema.ts'

export type Database = Kysely<Schema>

/** The server ends a transaction that is silent for this long: its process may be paused, and other processes wait for its rows. */
const SILENT_TRANSACTION_MS = 10_000

/** A query waits for its answer without a time limit. TCP probes find a server that is gone without a message (power, network). */
export const PROBES = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const

const { INT8, NUMERIC } = pg.types.builtins

/**
 * The driver delivers int8 and numeric as text. All of ours are integers and must not become floats. The assertion is needed because the
 * driver's types allow only one format for each of two overloads.
 */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 || oid === NUMERIC ? (text: string) => BigInt(text) : pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig

const urls = new WeakMap<Database, string>()

/** The URL contains the password. It serves connections outside of the pool. */
export function urlOf(db: Database): string {
  const url = urls.get(db)
  if (url === undefined) throw new Error('this is not a whole database, but a connection or a transaction')
  return url
}

const pools = new WeakMap<Database, pg.Pool>()

export type PoolState = { readonly open: number; readonly idle: number; readonly waiting: number; readonly max: number }

export function poolStateOf(db: Database): PoolState {
  const pool = pools.get(db)
  if (pool === undefined) throw new Error('this is not a whole database, but a connection or a transaction')
  return { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount, max: pool.options.max }
}

export async function openDatabase(url: string): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: url,
    max: 20,
    types,
    ...PROBES,
    idleTimeoutMillis: 10_000,
    idle_in_transaction_session_timeout: SILENT_TRANSACTION_MS,
  })
  // The next query replaces a dropped idle connection, and reports an error if it cannot.
  pool.on('error', () => undefined)
  // A connection that drops in use fails the next query on it. Without this listener it would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: withPreparedStatements(pool) }) })
  try {
    await migrate(db)
  } catch (error) {
    await db.destroy()
    throw error
  }
  urls.set(db, url)
  pools.set(db, pool)
  return db
}
