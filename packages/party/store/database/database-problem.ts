/** Checks whether the database can be read and written. A full disk or a read-only server still answers reads. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@tandem/runtime/log.ts'
import { createTtlCache } from '@tandem/runtime/ttl-cache.ts'
import { sql } from 'kysely'
import type { Database } from './database.ts'
import { databaseFault } from './database-fault.ts'

const DATABASE_WAIT_MS = 2000
/** Anyone may request this, so one write serves all requests within this time. */
const KEEP_MS = 1000

type Parts = { readonly db: Database; readonly log: Pick<Logger, 'warn'> }

/** The problem has no details of the server. It is null if the database can be written. */
export function createDatabaseCheck({ db, log }: Parts): () => Promise<string | null> {
  const checks = createTtlCache<{ readonly problem: string | null }>({ keepMs: KEEP_MS, maxEntries: 1 })

  async function write(): Promise<string | null> {
    try {
      await sql`
        insert into leases (name, holder, until) values ('readiness', '', now())
        on conflict (name) do update set until = excluded.until`.execute(db)
      return null
    } catch (error) {
      log.warn({ err: error }, 'the database cannot be written')
      return databaseFault(error) ?? 'the database cannot be written'
    }
  }

  return async () => {
    const { problem } = await checks.get('', async () => ({
      problem: await Promise.race([write(), sleep(DATABASE_WAIT_MS, 'the database does not answer', { ref: false })]),
    }))
    return problem
  }
}
