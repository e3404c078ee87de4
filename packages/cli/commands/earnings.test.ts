/** Without chains: what the books say. The story affiliate-earns-and-claims pays on real contracts. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createApp } from '@tandem/party/store/apps/apps.ts'
import { closeAnyway, openTestStore, putOrder, type TestStore } from '@tandem/party/store/store.fixture.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConfigFixture, runCommand, writeServiceConfig } from './command.fixture.ts'
import { fundCommand, owedCommand, receivedCommand, reconcileCommand } from './earnings.ts'

const usdc = 'ethereum_localnet:usdc'

let store: TestStore
let fixture: ConfigFixture
let config: string
beforeAll(async () => {
  store = await openTestStore()
  fixture = await writeServiceConfig(store.url)
  config = join(fixture.folder, 'paying.json')
  const given = JSON.parse(await readFile(fixture.config, 'utf8'))
  await writeFile(join(fixture.folder, 'claims'), '11'.repeat(32))
  await writeFile(config, JSON.stringify({ ...given, earnings: { signing_key: { file: 'claims' } } }))
  await createApp(store.db, 'shop')
})
afterAll(async () => {
  await store.close()
  await fixture.remove()
})

async function reconcile(): Promise<{ readonly agrees: boolean; readonly answer: string }> {
  const said = { agrees: false }
  const { answer } = await runCommand(async (terminal) => {
    said.agrees = await reconcileCommand({ config }, terminal)
  })
  return { ...said, answer }
}

test('a configuration that pays no affiliates is named', async () => {
  await expect(runCommand((terminal) => owedCommand({ config: fixture.config }, terminal))).rejects.toThrow('has no "earnings"')
})

test('without earnings nothing is owed, and the books agree', async () => {
  expect((await runCommand((terminal) => owedCommand({ config }, terminal))).answer).toBe('No affiliate has earned anything yet.')
  expect(await reconcile()).toEqual({ agrees: true, answer: 'Orders, ledger, totals and payments agree.' })
})

test('earnings that no contract can pay, and books that do not agree, are told', async () => {
  const affiliateFees = [{ address: 'ann', asset: usdc, feeBips: 10, amount: '700' }] as const
  const worth = { volumeUsdMicros: 2_000_000n, feeUsdMicros: 0n }
  const { order } = await putOrder(store.db, { app: 'shop', worth, affiliateFees })
  await sql`update order_list set status = 'redeemed'`.execute(store.db)
  await closeAnyway(store.db, order.id)
  await sql`select settle_ledger(array[${order.id}])`.execute(store.db)

  const { answer } = await runCommand((terminal) => owedCommand({ config }, terminal))
  expect(answer.split('\n').map((line) => line.trim().split(/ {2,}/))).toEqual([
    ['asset', 'affiliates', 'earned', 'waiting', 'paid', 'due', 'held', 'missing', 'contract'],
    [usdc, '1', '700', '700', '0', '0', '-', '-', 'none'],
    [''],
    ['solver collected 0.002 USD for affiliates, and has not paid in 0.002'],
  ])
  const received = (usd: string) =>
    runCommand((terminal) => receivedCommand({ config, solver: 'solver', usd, reference: 'invoice 1' }, terminal))
  await expect(received('-1')).rejects.toThrow('--usd must be an amount of dollars')
  expect((await received('0.002')).answer).toBe('0.002 USD of solver are recorded; it has not paid in 0.00')
  expect((await received('0.002')).answer).toContain('was recorded before: nothing changes')
  const byHand = `700 ${usdc} are owed, and no contract pays affiliates on this chain: pay them by hand`
  expect(await reconcile()).toEqual({ agrees: false, answer: byHand })
  await sql`update affiliate_totals set amount = 701`.execute(store.db)
  const { agrees, answer: problems } = await reconcile()
  expect(agrees).toBe(false)
  expect(problems).toContain(`1 × totals of affiliates are not the sum of their shares, e.g. ann ${usdc}`)
  await expect(runCommand((terminal) => fundCommand({ config, asset: usdc }, terminal))).rejects.toThrow(`pays affiliates in "${usdc}"`)
})
