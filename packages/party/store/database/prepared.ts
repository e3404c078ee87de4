/** Prepared statements: every statement with parameters is parsed and planned once per connection, not once per execution. */
import {
  CompiledQuery,
  type Kysely,
  type PostgresCursor,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
  sql,
} from 'kysely'
import type pg from 'pg'
import { type Column, readAll } from './columns.ts'
import type { Schema } from './schema.ts'

/** The names are by statement text, because the query builder passes only the text to a connection. */
const names = new Map<string, string>()
/** A connection keeps what it prepared. Statements whose text depends on the number of values must not fill its memory. */
const MAX_NAMES = 400

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= MAX_NAMES) return known
  const name = `statement-${names.size}`
  names.set(text, name)
  return name
}

/**
 * All statements find rows by indexes, whatever their parameters. Planning the larger ones for each execution, as the server may decide to,
 * takes longer than executing them. Write none whose best plan depends on a parameter, e.g. `$1 is null or …`. A plan that was made while a
 * table was small would read the whole table until the next analysis: scan tables only where there is no index.
 */
const GENERIC_PLANS = 'set plan_cache_mode = force_generic_plan; set enable_seqscan = off'

export type Prepared<Row> = (db: Kysely<Schema>, parameters: readonly unknown[]) => Promise<readonly Row[]>

/** `name` must be unique. Rows are checked against `row`. */
export function prepare<Row>(name: string, row: Column<Row>, text: string): Prepared<Row> {
  const execute = prepareWrite(name, text)
  return async (db, parameters) => readAll(name, row, await execute(db, parameters))
}

/** If the statement returns rows, they are only counted. */
export function prepareWrite(name: string, text: string): Prepared<unknown> {
  names.set(text, name)
  return async (db, parameters) => (await db.executeQuery(CompiledQuery.raw(text, [...parameters]))).rows
}

/** Reads rows of a composed statement, written as with `sql` and checked against `row`. */
export function readRows<Row>(db: Kysely<Schema>, row: Column<Row>) {
  return async (text: TemplateStringsArray, ...values: readonly unknown[]): Promise<readonly Row[]> =>
    readAll('a statement', row, (await sql(text, ...values).execute(db)).rows)
}

export function withPreparedStatements(pool: pg.Pool): PostgresPool {
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  return {
    async connect() {
      const client = await pool.connect()
      const wrapped = known.get(client)
      if (wrapped !== undefined) return wrapped
      try {
        await client.query(GENERIC_PLANS)
      } catch (error) {
        client.release(true)
        throw error
      }
      const prepared = namingClient(client)
      known.set(client, prepared)
      return prepared
    },
    end: () => pool.end(),
  }
}

/** Another process migrated the database and changed the columns. The connection must prepare the statement again. */
const isOutdated = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '0A000'

/** If one message has several statements, the selecting one has the columns. */
function withColumns(result: pg.QueryResult | readonly pg.QueryResult[]): pg.QueryResult | undefined {
  if (!('length' in result)) return result
  return result.find(({ fields }) => fields.length > 0) ?? result.at(-1)
}

function namingClient(client: pg.PoolClient): PostgresPoolClient {
  let outdated = false
  function query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  function query(text: unknown, parameters: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new Error('cursors are not used here')
    const name = parameters.length === 0 ? names.get(text) : nameOf(text)
    return client.query({ text, values: [...parameters], ...(name !== undefined && { name }) }).then(withColumns, (error: unknown) => {
      outdated ||= isOutdated(error)
      throw error
    })
  }
  // The pool replaces a connection that is released with `true`.
  return { query, release: () => client.release(outdated) }
}
