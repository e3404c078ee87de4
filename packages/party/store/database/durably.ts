/** Runs a transaction with synchronous commit, whatever the server's default. For records that must be on disk before we act on them. */
import { sql } from 'kysely'
import type { Database } from './database.ts'

export async function durably<T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (tx) => {
    await sql`set local synchronous_commit = on`.execute(tx)
    return work(tx)
  })
}
