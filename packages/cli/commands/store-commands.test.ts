/** Tests the commands for tokens, order lists and earnings, on a real database. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createApp } from '@tandem/party/store/apps/apps.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { closeAnyway, putOrder } from '@tandem/party/store/store.fixture.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ConfigFixture, runCommand, writeServiceConfig } from './command.fixture.ts'
import { fundCommand, owedCommand, receivedCommand, reconcileCommand } from './earnings.ts'
import { createTokenCommand, listTokensCommand, revokeTokenCommand } from './operator.ts'
import { reindexCommand } from './reindex.ts'

const store = sharedStore()
let fixture: ConfigFixture
beforeAll(async () => {
  fixture = await writeServiceConfig(store.url)
})
afterAll(async () => {
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

async function reindex(): Promise<readonly string[]> {
  const { notes } = await runCommand((terminal) => reindexCommand({ config: fixture.config }, terminal))
  return notes.split('\n')
}

test('lists that contradict orders and events are corrected', async () => {
  await createApp(store.db, 'shop')
  for (const deadline of [1n, 2n, 9_000_000_000n]) await putOrder(store.db, { app: 'shop', deadline })
  await reindex()
  const read = () => store.db.selectFrom('order_list').selectAll().orderBy('order_id').execute()
  const right = await read()
  expect(right.map(({ status }) => status).toSorted()).toEqual(['created', 'expired', 'expired'])

  await store.db
    .updateTable('order_list')
    .set({ status: 'redeemed' })
    .where('order_id', '=', right[0]?.order_id ?? '')
    .execute()
  await store.db
    .deleteFrom('order_list')
    .where('order_id', '=', right[1]?.order_id ?? '')
    .execute()
  expect(await reindex()).toEqual(['3 of 3 orders (100 %)', 'The lists are rebuilt from 3 orders.'])
  expect(await read()).toEqual(right)
})

test('no orders, no progress', async () => {
  await store.db.deleteFrom('swaps').execute()
  await store.db.deleteFrom('orders').execute()
  expect(await reindex()).toEqual(['The lists are rebuilt from 0 orders.'])
})

/** Without chains, this tests what the books say. The story affiliate-earns-and-claims pays on real contracts. */
describe('earnings', () => {
  const store = sharedStore()
  let fixture: ConfigFixture
  const usdc = 'ethereum_localnet:usdc'
  let config: string
  beforeAll(async () => {
    fixture = await writeServiceConfig(store.url)
    config = join(fixture.folder, 'paying.json')
    const given = JSON.parse(await readFile(fixture.config, 'utf8'))
    await writeFile(join(fixture.folder, 'claims'), '11'.repeat(32))
    await writeFile(config, JSON.stringify({ ...given, earnings: { signing_key: { file: 'claims' } } }))
    await createApp(store.db, 'shop')
  })
  afterAll(() => fixture.remove())

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

  test('earnings that no contract can pay, and ledgers that do not agree, are reported', async () => {
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
})
