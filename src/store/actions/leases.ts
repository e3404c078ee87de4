/** Exclusive work across processes: renewable leases by name, and locks that last as long as a connection. */
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'

/** True when `holder` now has the lease, new or renewed. */
export async function holdLease(db: Database, name: string, holder: string, seconds: number): Promise<boolean> {
  const { rows } = await sql<{ holder: string }>`
    insert into leases (name, holder, until) values (${name}, ${holder}, now() + make_interval(secs => ${seconds}))
    on conflict (name) do update set holder = excluded.holder, until = excluded.until
    where leases.holder = excluded.holder or leases.until < now()
    returning holder`.execute(db)
  return rows.length === 1
}

export async function releaseLeases(db: Database, holder: string): Promise<void> {
  await db.deleteFrom('leases').where('holder', '=', holder).execute()
}

/** Runs `work` while nobody else runs any under the same name. A killed process lets go with its connection. */
export function withLock<T>(db: Database, name: string, work: () => Promise<T>): Promise<T> {
  return inLine(db, name, () =>
    db.connection().execute(async (connection) => {
      await sql`select pg_advisory_lock(hashtextextended(${name}, 0))`.execute(connection)
      try {
        return await work()
      } finally {
        await sql`select pg_advisory_unlock(hashtextextended(${name}, 0))`.execute(connection)
      }
    }),
  )
}

/** The last in each line, by name. */
const lines = new WeakMap<Database, Map<string, Promise<unknown>>>()

/** One after the other in this process: many who wait with a connection each would leave none for the one who works. */
async function inLine<T>(db: Database, name: string, work: () => Promise<T>): Promise<T> {
  const line = lines.get(db) ?? new Map<string, Promise<unknown>>()
  lines.set(db, line)
  const turn = (line.get(name) ?? Promise.resolve()).then(work)
  // However it ended: whoever comes next has nothing to do with it.
  const ended = turn.catch(() => undefined)
  line.set(name, ended)
  try {
    return await turn
  } finally {
    if (line.get(name) === ended) line.delete(name)
  }
}
