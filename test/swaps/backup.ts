/** A backup of a database is restored over what has happened since. PostgreSQL copies the whole of it, including sequences. */
import pg from 'pg'

export type Backup = {
  /** Nobody may use the database meanwhile. */
  restore(): Promise<void>
  drop(): Promise<void>
}

/** This ends the connections to the database, so its parties must be stopped. */
export async function takeBackup(url: string): Promise<Backup> {
  const server = new URL(url)
  const name = server.pathname.slice(1)
  const copy = `${name}_backup`
  server.pathname = '/postgres'
  const run = async (...statements: readonly string[]) => {
    const client = new pg.Client({ connectionString: server.href })
    await client.connect()
    try {
      for (const statement of statements) await client.query(statement)
    } finally {
      await client.end()
    }
  }
  await run(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`, `create database ${copy} template ${name}`)
  return {
    restore: () => run(`drop database ${name} with (force)`, `create database ${name} template ${copy}`),
    drop: () => run(`drop database ${copy}`),
  }
}
