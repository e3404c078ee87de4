/** Records which engines of a database live and what they report, and which processes follow them. */
import { boolean, known, shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { readRows } from '../database/prepared.ts'
import { type EngineReport, engineReport } from './engine-report.ts'

export type LivingEngines = {
  readonly holders: readonly string[]
  /** A process follows the engines, so it needs reports and signals. */
  readonly isFollowed: boolean
}

export async function leaseEngine(db: Database, holder: string, seconds: number, report: EngineReport | null): Promise<LivingEngines> {
  const rows = await readRows(db, shape({ holder: text, follows: boolean }))`
    with mine as (
      insert into leases (name, holder, until, report)
      values (${`engine ${holder}`}, ${holder}, now() + make_interval(secs => ${seconds}), ${report === null ? null : JSON.stringify(report)})
      on conflict (name) do update set until = excluded.until, report = excluded.report
    ), dead as (
      delete from leases where (name like 'engine %' or name like 'follower %') and until < now() - interval '1 hour' and holder <> ${holder}
    )
    select holder, false as follows from leases where name like 'engine %' and until > now()
    union select ${holder}, false
    union select holder, true from leases where name like 'follower %' and until > now()`
  return { holders: rows.filter((row) => !row.follows).map((row) => row.holder), isFollowed: rows.some((row) => row.follows) }
}

/** Returns how many engines of the database live. */
export async function livingEngines(db: Database): Promise<number> {
  const rows = await readRows(db, shape({ holder: text }))`select holder from leases where name like 'engine %' and until > now()`
  return rows.length
}

/** Leases a follower's membership. A report is null if the engine has not reported, or in the form of another version. */
export async function followEngines(db: Database, holder: string, seconds: number): Promise<readonly (EngineReport | null)[]> {
  const rows = await readRows(db, shape({ report: known(engineReport) }))`
    with mine as (
      insert into leases (name, holder, until) values (${`follower ${holder}`}, ${holder}, now() + make_interval(secs => ${seconds}))
      on conflict (name) do update set until = excluded.until
    )
    select report from leases where name like 'engine %' and until > now()`
  return rows.map(({ report }) => report)
}
