import { openTestStore, type TestStore } from '@tandem/party/store/store.fixture.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConfigFixture, runCommand, writeServiceConfig } from './command.fixture.ts'
import { createTokenCommand, listTokensCommand, revokeTokenCommand } from './operator.ts'

let store: TestStore
let fixture: ConfigFixture
beforeAll(async () => {
  store = await openTestStore()
  fixture = await writeServiceConfig(store.url)
})
afterAll(async () => {
  await store.close()
  await fixture.remove()
})

const config = () => ({ config: fixture.config })

test('a token is shown once, alone on standard output, and its secret is stored nowhere', async () => {
  const { answer, notes } = await runCommand((terminal) => createTokenCommand('ann', config(), terminal))
  expect(answer).toMatch(/^[0-9a-f]{12}\.[0-9a-f]{64}$/)
  expect(notes).toContain('only reads')
  const { rows } = await sql<{ row: string }>`select operator_tokens::text as row from operator_tokens`.execute(store.db)
  expect(rows.map(({ row }) => row).join()).not.toContain(answer.split('.')[1])
})

test('tokens are listed with what they may do, without their secrets', async () => {
  await runCommand((terminal) => createTokenCommand('bea', { ...config(), write: true }, terminal))
  const { answer } = await runCommand((terminal) => listTokensCommand({ ...config(), json: true }, terminal))
  expect(JSON.parse(answer)).toEqual([
    { name: 'ann', write: false, created_at: expect.any(String) },
    { name: 'bea', write: true, created_at: expect.any(String) },
  ])
})

test('a name is used once, until it is revoked', async () => {
  const create = () => runCommand((terminal) => createTokenCommand('cay', config(), terminal))
  await create()
  await expect(create()).rejects.toThrow('there is a token "cay" already')
  await runCommand((terminal) => revokeTokenCommand('cay', config(), terminal))
  await create()
  await expect(runCommand((terminal) => revokeTokenCommand('dan', config(), terminal))).rejects.toThrow('there is no token "dan"')
  await expect(runCommand((terminal) => createTokenCommand('No Spaces', config(), terminal))).rejects.toThrow('lower-case letters')
})
