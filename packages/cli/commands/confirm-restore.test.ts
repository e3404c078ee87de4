/** Tests the command with which an operator confirms a restored backup. */
import { readReleaseStatus, recordRollback } from '@tandem/party/store/database/rollbacks.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { closeAnyway, putOrder } from '@tandem/party/store/store.fixture.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ConfigFixture, runCommand, writeServiceConfig, writeSolverConfig } from './command.fixture.ts'
import { confirmRestoreCommand } from './confirm-restore.ts'

const store = sharedStore()
let configs: readonly ConfigFixture[]
beforeAll(async () => {
  configs = [await writeSolverConfig(store.url), await writeServiceConfig(store.url)]
})
afterAll(async () => {
  for (const config of configs) await config.remove()
})
beforeEach(async () => {
  await store.db.deleteFrom('rollbacks').execute()
})

const confirm = (party: 0 | 1, options = {}) =>
  runCommand((terminal) => confirmRestoreCommand({ config: configs[party]?.config ?? '', ...options }, terminal))
const waits = async () => (await readReleaseStatus(store.db, [])).hold !== null

test('says that nothing waits', async () => {
  expect((await confirm(0, { yes: true })).notes).toBe('Nothing waits for a confirmation.')
})

test('shows what waits and how many open orders it concerns, and changes nothing without --yes', async () => {
  await putOrder(store.db)
  await closeAnyway(store.db, (await putOrder(store.db)).order.id)
  await recordRollback(store.db, 'one', 'the database lacks a line')
  await putOrder(store.db)
  const notes: string[] = []
  const terminal = { answer: () => undefined, note: (text: string) => void notes.push(text) }
  await expect(confirmRestoreCommand({ config: configs[0]?.config ?? '' }, terminal)).rejects.toThrow(
    /nothing is changed\. A lock or an early refund .* --yes/,
  )
  expect(notes).toEqual(['Rollback: the database lacks a line. 1 open orders are older than it.'])
  expect(await waits()).toBe(true)
})

test('with --yes confirms all that waits, for the party of the configuration', async () => {
  for (const [party, name] of [
    [0, 'solver'],
    [1, 'service'],
  ] as const) {
    for (const id of ['first', 'second']) await recordRollback(store.db, `${id} of the ${name}`, 'a reason')
    expect((await confirm(party, { yes: true })).notes).toContain(`Confirmed: the ${name} signs for older orders again within seconds.`)
    expect(await waits()).toBe(false)
  }
})
