/** Prepared statements: planned once per connection, for hot paths. */
import {
  CompiledQuery,
  type Kysely,
  type PostgresCursor,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from 'kysely'
import type pg from 'pg'
import type { Schema } from './schema.ts'

/** Names by statement text: the query builder passes only the text to a connection. */
const names = new Map<string, string>()

export type Prepared<Row> = (db: Kysely<Schema>, parameters: readonly unknown[]) => Promise<readonly Row[]>

/** `name` must be unique. `Row` is not checked: it must match the statement. */
export function prepare<Row>(name: string, text: string): Prepared<Row> {
  names.set(text, name)
  return async (db, parameters) => (await db.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))).rows
}

/** Wraps the pool, so that statements made with `prepare` are sent with their names. */
export function withPreparedStatements(pool: pg.Pool): PostgresPool {
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  return {
    async connect() {
      const client = await pool.connect()
      const wrapped = known.get(client) ?? namingClient(client)
      known.set(client, wrapped)
      return wrapped
    },
    end: () => pool.end(),
  }
}

function namingClient(client: pg.PoolClient): PostgresPoolClient {
  function query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  function query(text: unknown, parameters: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new Error('cursors are not used here')
    const name = names.get(text)
    return client.query({ text, values: [...parameters], ...(name !== undefined && { name }) })
  }
  return { query, release: () => client.release() }
}
