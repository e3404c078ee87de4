/** Runs a transaction that is on disk when it ends, whatever the server's default is. For records that must survive before we act on them. */
import { sql } from 'kysely'
import type { Database } from './database.ts'

export async function durably<T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (tx) => {
    await sql`set local synchronous_commit = on`.execute(tx)
    return work(tx)
  })
}
