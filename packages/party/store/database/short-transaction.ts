/** A transaction in few messages: `begin` goes with its first statement, and `commit` with its last. */
import { sql } from 'kysely'
import pg from 'pg'
import type { Database } from './database.ts'

export type ShortTransaction = {
  /** Runs the statements in between. */
  readonly connection: Database
  /** Commits, after one more statement if there is one. Returns its rows, unchecked. */
  commit(last?: string): Promise<readonly unknown[]>
}

/** `first` and `last` are statements without parameters, see `callOf`. `work` checks their rows. */
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
      // If this fails, too, the connection is gone, and its transaction with it.
      await send('rollback').catch(() => undefined)
      throw error
    }
  })
}

/** A call of a function of the database with one JSON argument. */
export function callOf(name: string, argument: unknown): string {
  return `select * from ${name}(${pg.escapeLiteral(JSON.stringify(argument))})`
}
