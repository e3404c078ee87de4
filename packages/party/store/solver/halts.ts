/** Stores the halts of a solver, written by an operator or by a circuit breaker. */
import { sql } from 'kysely'
import { bigintText, fields, listOrNull, nullable, shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'

export type Halt = {
  /** `*` for everything, a chain, or a pair as `<asset>-><asset>`. */
  readonly scope: string
  /** The cause is `operator` or the name of a circuit breaker. */
  readonly cause: string
  readonly reason: string
  /** Unix seconds. */
  readonly since: bigint
  /** Unix seconds; null until it is removed. */
  readonly until: bigint | null
}

const MAX_REASON = 300

export const halt = fields({ scope: text, cause: text, reason: text, since: bigintText, until: nullable(bigintText) })

/** A subquery for an array of the halts that have not ended, or null. */
export const HALTS = `(select json_agg(json_build_array(
    scope, cause, reason, extract(epoch from since)::bigint::text, extract(epoch from until)::bigint::text) order by scope, cause)
  from halts where until is null or until > now())`

const selectHalts = prepare('select-halts', shape({ halts: listOrNull(halt) }), `select ${HALTS} as halts`)

export async function readHalts(db: Database): Promise<readonly Halt[]> {
  return (await selectHalts(db, []))[0]?.halts ?? []
}

/** Repeating a halt changes the reason and the end but not the beginning, unless the halt has ended. */
export async function putHalt(db: Database, halt: Pick<Halt, 'scope' | 'cause' | 'reason'> & { readonly seconds?: number }): Promise<void> {
  const reason = halt.reason.replace(/\s+/g, ' ').trim().slice(0, MAX_REASON)
  await sql`
    insert into halts (scope, cause, reason, until)
    values (${halt.scope}, ${halt.cause}, ${reason}, now() + make_interval(secs => ${halt.seconds ?? null}::integer))
    on conflict (scope, cause) do update set reason = excluded.reason, until = excluded.until,
      since = case when halts.until <= now() then now() else halts.since end`.execute(db)
}

/** Returns how many were removed. Without a cause it removes those of all causes. */
export async function removeHalts(db: Database, scope: string, cause?: string): Promise<number> {
  const { rows } = await sql`
    delete from halts where scope = ${scope} and (${cause ?? null}::text is null or cause = ${cause ?? null}) returning scope`.execute(db)
  return rows.length
}
