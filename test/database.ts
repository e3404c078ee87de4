// A test gets a PostgreSQL database on the server that all tests of one vitest run share.
import pg from 'pg'
import { inject } from 'vitest'

export type TestDatabase = {
  readonly url: string
  /** Open connections are closed too. */
  drop(): Promise<void>
}

/** The database has all tables. An `empty` one has had no migration. */
export const createTestDatabase = async (content: 'tables' | 'empty' = 'tables'): Promise<TestDatabase> => {
  const response = await fetch(`${inject('testDatabasesUrl')}/${content === 'empty' ? 'empty' : ''}`, { method: 'POST' })
  const url = await response.text()
  if (!response.ok) throw new Error(url)
  return { url, drop: () => dropDatabase(url) }
}

/** The database behaves like a full or broken server. Open connections end. */
export const makeReadOnly = (url: string): Promise<void> => setReadOnly(url, 'on')
export const makeWritable = (url: string): Promise<void> => setReadOnly(url, 'off')

const setReadOnly = (url: string, value: 'on' | 'off'): Promise<void> =>
  onServerOf(url, async (client, name) => {
    await client.query(`alter database ${name} set default_transaction_read_only = ${value}`)
    await client.query('select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1', [name])
  })

const dropDatabase = (url: string): Promise<void> =>
  onServerOf(url, async (client, name) => {
    await client.query(`drop database ${name} with (force)`)
  })

const onServerOf = async (url: string, work: (client: pg.Client, name: string) => Promise<void>): Promise<void> => {
  const maintenance = new URL(url)
  const name = maintenance.pathname.slice(1)
  maintenance.pathname = '/postgres'
  const client = new pg.Client({ connectionString: maintenance.href })
  await client.connect()
  try {
    await work(client, name)
  } finally {
    await client.end()
  }
}
