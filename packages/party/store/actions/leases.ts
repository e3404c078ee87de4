/** Mutual exclusion across processes: renewable leases by name, and advisory locks bound to a connection. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ActionKey } from '@tandem/protocol/order.ts'
import { createMutex, type Mutex } from '@tandem/runtime/mutex.ts'
import { sql } from 'kysely'
import { anyOf } from '../database/any-of.ts'
import { shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { readRows } from '../database/prepared.ts'

export async function holdLease(db: Database, name: string, holder: string, seconds: number): Promise<boolean> {
  const rows = await readRows(db, shape({ holder: text }))`
    insert into leases (name, holder, until) values (${name}, ${holder}, now() + make_interval(secs => ${seconds}))
    on conflict (name) do update set holder = excluded.holder, until = excluded.until
    where leases.holder = excluded.holder or leases.until < now()
    returning holder`
  return rows.length === 1
}

/** Leases that `holder` has lost stay lost. */
export async function renewLeases(db: Database, holder: string, names: readonly string[], seconds: number): Promise<void> {
  if (names.length === 0) return
  await sql`
    update leases set until = now() + make_interval(secs => ${seconds}) where holder = ${holder} and name = ${anyOf(names)}`.execute(db)
}

/**
 * Renews the leases of these actions in one statement, also expired ones that no other holder took over. Returns the keys of those that
 * `holder` has. Rows are locked in the order of their keys: a deadlock with a record of attempts would delay a signer by a second.
 */
export async function renewActions(
  db: Database,
  holder: string,
  actions: readonly { readonly key: ActionKey; readonly fence: bigint }[],
  seconds: number,
): Promise<readonly ActionKey[]> {
  if (actions.length === 0) return []
  const rows = await readRows(db, shape({ key: text }))`
    with held as materialized (
      select actions.key from actions
        join unnest(${actions.map(({ key }) => key)}::text[], ${actions.map(({ fence }) => fence.toString())}::bigint[]) as given (key, fence)
          on actions.key = given.key and actions.fence = given.fence
      where actions.lease_holder = ${holder}
      order by actions.key for update of actions
    )
    update actions set lease_until = now() + make_interval(secs => ${seconds})
    where key in (select key from held)
    returning key`
  return rows.map(({ key }) => key)
}

export async function releaseLease(db: Database, holder: string, name: string): Promise<void> {
  await db.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute()
}

export async function releaseLeases(db: Database, holder: string): Promise<void> {
  await db.deleteFrom('leases').where('holder', '=', holder).execute()
  await db.updateTable('actions').set({ lease_holder: null, lease_until: null }).where('lease_holder', '=', holder).execute()
}

const LEASE_SECONDS = 4
const LEASE_RENEW_MS = 1000
const LEASE_POLL_MS = 100

/**
 * Runs `work` as a mutex across processes. It holds a lease and no connection, so `work` may take long. Returns null without running `work`
 * if another process holds the lease for longer than `waitMs`.
 */
export function withLease<T>(db: Database, name: string, waitMs: number, work: () => Promise<T>): Promise<T | null> {
  return mutexOf(db)(`lease ${name}`, async () => {
    const holder = randomUUID()
    for (const giveUpAt = Date.now() + waitMs; !(await holdLease(db, name, holder, LEASE_SECONDS)); await sleep(LEASE_POLL_MS))
      if (Date.now() >= giveUpAt) return null
    // After a failed renewal the lease may expire. The next renewal continues it if it is still free.
    const renewal = setInterval(() => void renewLeases(db, holder, [name], LEASE_SECONDS).catch(() => undefined), LEASE_RENEW_MS)
    try {
      return await work()
    } finally {
      clearInterval(renewal)
      await releaseLease(db, holder, name)
    }
  })
}

/** A lock whose holder is silent for this long is released: its process may be paused, or its machine gone. */
const SILENT_LOCK_MS = 4000
const LOCK_PING_MS = 1000

/**
 * Runs `work` under an exclusive lock of this name. The lock ends with its connection, even if the process is killed or paused. `work` gets
 * that connection, so what it writes there is written only while the lock is held.
 */
export function withLock<T>(db: Database, name: string, work: (connection: Database) => Promise<T>): Promise<T> {
  return mutexOf(db)(`lock ${name}`, () =>
    db.connection().execute(async (connection) => {
      await sql`
        select set_config('idle_session_timeout', ${String(SILENT_LOCK_MS)}, false), pg_advisory_lock(hashtextextended(${name}, 0))`.execute(
        connection,
      )
      // A failed ping means that the connection is gone. The next query on it reports that.
      const ping = setInterval(() => void sql`select 1`.execute(connection).catch(() => undefined), LOCK_PING_MS)
      try {
        return await work(connection)
      } finally {
        clearInterval(ping)
        await sql`
          select pg_advisory_unlock(hashtextextended(${name}, 0)), set_config('idle_session_timeout', '0', false)`.execute(connection)
      }
    }),
  )
}

const mutexes = new WeakMap<Database, Mutex>()

/** Callers of this process wait without a connection: if each waited with its own, none would be left for the one that works. */
function mutexOf(db: Database): Mutex {
  const mutex = mutexes.get(db) ?? createMutex()
  mutexes.set(db, mutex)
  return mutex
}
