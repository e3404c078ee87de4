import { connect } from 'node:net'
import { openDatabase } from '@tandem/party/store/database/database.ts'
import { expect, test } from 'vitest'
import { createTestDatabase, makeReadOnly } from '../../../test/database.ts'
import { explainError } from './explain-error.ts'

test('a database that is not running is named, and what to start', async () => {
  for (const [url, place] of [
    ['postgresql:///tandem?host=/tmp/no-such-folder', '/tmp/no-such-folder/.s.PGSQL.5432'],
    ['postgresql://127.0.0.1:1/tandem', '127.0.0.1:1'],
  ] as const) {
    const error = await openDatabase(url).catch((reason: unknown) => reason)
    expect(explainError(error)).toMatch(new RegExp(`^nothing answers at ${place} .*npm start.*--config`))
  }
})

test('a database that is read-only is said to be so', async () => {
  const { url, drop } = await createTestDatabase()
  try {
    await makeReadOnly(url)
    const error = await openDatabase(url).catch((reason: unknown) => reason)
    expect(explainError(error)).toMatch(/^the database is read-only \(cannot execute .*\): .*tandem doctor/)
  } finally {
    await drop()
  }
})

test('a failed fetch is explained by its cause', async () => {
  const cause = await new Promise<Error>((resolve) => connect(1, '127.0.0.1').on('error', resolve))
  expect(explainError(new TypeError('fetch failed', { cause }))).toMatch(/^nothing answers at 127.0.0.1:1 /)
})
