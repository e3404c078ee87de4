/** Writes `column = any($1)`: one parameter for any number of values, because PostgreSQL allows at most 65,535 parameters. */
import { type RawBuilder, sql } from 'kysely'

export function anyOf(values: readonly string[]): RawBuilder<string> {
  return sql<string>`any(${values}::text[])`
}
