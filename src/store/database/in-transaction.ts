/** Runs work in the transaction of the caller, or in one of its own. */
import type { Database } from './database.ts'

export function inTransaction<T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work)
}
