/** `column = any($1)`: one parameter however many values there are; a list in the statement breaks at 65,535. */
import { type RawBuilder, sql } from 'kysely'

export function anyOf(values: readonly string[]): RawBuilder<string> {
  return sql<string>`any(${values}::text[])`
}
