/** Mutual exclusion across processes: renewable leases by name, and advisory locks bound to a connection. */
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

/** Runs `work` under an exclusive lock of this name. The lock ends with its connection, even if the process is killed. */
export function withLock<T>(db: Database, name: string, work: () => Promise<T>): Promise<T> {
  return inQueue(db, name, () =>
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

/** The last waiter of each queue, by name. */
const queues = new WeakMap<Database, Map<string, Promise<unknown>>>()

/** Queues callers of this process: if each waited with its own connection, none would be left for the one that works. */
async function inQueue<T>(db: Database, name: string, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(db) ?? new Map<string, Promise<unknown>>()
  queues.set(db, queue)
  const turn = (queue.get(name) ?? Promise.resolve()).then(work)
  // The next waiter runs even if this one failed.
  const ended = turn.catch(() => undefined)
  queue.set(name, ended)
  try {
    return await turn
  } finally {
    if (queue.get(name) === ended) queue.delete(name)
  }
}
