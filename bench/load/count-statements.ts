/** Counts the statements that this process sends to databases. */
import pg from 'pg'

export function countStatements(): { take(): number } {
  const { query } = pg.Client.prototype
  let count = 0
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    count += 1
    return Reflect.apply(query, this, args)
  } as typeof query
  return {
    /** Since the last call. */
    take() {
      const taken = count
      count = 0
      return taken
    },
  }
}
