/** Tests that each test gets a database of its own. */
import pg from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from './database.ts'

const query = async (url: string, sql: string): Promise<unknown[]> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

test('each call gives a database of its own, and drop removes it', async () => {
  const [one, other] = await Promise.all([createTestDatabase(), createTestDatabase()])
  await query(one.url, 'create table mark (id int)')
  expect(await query(one.url, 'select * from mark')).toEqual([])
  await expect(query(other.url, 'select * from mark')).rejects.toThrow('does not exist')
  await one.drop()
  await expect(query(one.url, 'select 1')).rejects.toThrow('does not exist')
  expect(await query(other.url, 'select 1 as one')).toEqual([{ one: 1 }])
  await other.drop()
})
