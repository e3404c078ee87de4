// A PostgreSQL database for a test, on the server that all tests of one vitest run share.
import pg from 'pg'
import { inject } from 'vitest'

export type TestDatabase = {
  readonly url: string
  /** Closes open connections too. */
  drop(): Promise<void>
}

/** With all tables; `empty`: before the first migration. */
export const createTestDatabase = async (content: 'tables' | 'empty' = 'tables'): Promise<TestDatabase> => {
  const response = await fetch(`${inject('testDatabasesUrl')}/${content === 'empty' ? 'empty' : ''}`, { method: 'POST' })
  const url = await response.text()
  if (!response.ok) throw new Error(url)
  return { url, drop: () => dropDatabase(url) }
}

const dropDatabase = async (url: string): Promise<void> => {
  const maintenance = new URL(url)
  const name = maintenance.pathname.slice(1)
  maintenance.pathname = '/postgres'
  const client = new pg.Client({ connectionString: maintenance.href })
  await client.connect()
  try {
    await client.query(`drop database ${name} with (force)`)
  } finally {
    await client.end()
  }
}
