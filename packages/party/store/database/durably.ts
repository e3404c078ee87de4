/** Runs transactions that are on disk when they end, and transactions of few messages. */
import { sql } from 'kysely'
import pg from 'pg'
import type { Database } from './database.ts'

/** Runs a transaction with synchronous commit, whatever the server's default. For records that must be on disk before we act on them. */
export async function durably<T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (tx) => {
    await sql`set local synchronous_commit = on`.execute(tx)
    return work(tx)
  })
}

export type ShortTransaction = {
  readonly connection: Database
  /** Commits, after one more statement if there is one. The returned rows are unchecked. */
  commit(last?: string): Promise<readonly unknown[]>
}

/**
 * Runs a transaction in few messages: `begin` goes with the first statement, and `commit` with the last. `first` and `last` have no
 * parameters, see `callOf`. `work` checks their rows.
 */
export function inShortTransaction<Result>(
  db: Database,
  first: string,
  work: (transaction: ShortTransaction, rows: readonly unknown[]) => Promise<Result>,
): Promise<Result> {
  return db.connection().execute(async (connection) => {
    const send = async (...statements: readonly string[]) => (await sql.raw(statements.join('; ')).execute(connection)).rows
    try {
      const rows = await send('begin', first)
      return await work({ connection, commit: (last) => (last === undefined ? send('commit') : send(last, 'commit')) }, rows)
    } catch (error) {
      // If this fails too, the connection is gone, and the transaction with it.
      await send('rollback').catch(() => undefined)
      throw error
    }
  })
}

export function callOf(name: string, argument: unknown): string {
  return `select * from ${name}(${pg.escapeLiteral(JSON.stringify(argument))})`
}
