/** Tests the ledger through the life of orders: each completed order has exactly one row, also after reorgs, reopenings and rebuilds. */
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createApp } from '../store/apps/apps.ts'
import { auditLedger } from '../store/ledger/audit-ledger.ts'
import { readCollected, readEarnings, readTotals } from '../store/ledger/ledger.ts'
import { sumCompletedOrders } from '../store/order-list/order-statistics.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { closeAnyway, type ExampleChanges, NOW, putOrder } from '../store/store.fixture.ts'
import { type EngineFixture, openEngineFixture, registry } from './engine.fixture.ts'
import { rebuildOrderList } from './order-list.ts'
import { reconcile } from './reconciler.ts'

const usdc = 'ethereum_localnet:usdc'
const eth = 'ethereum_localnet:eth'
const affiliateFees = [
  { address: 'ann', asset: usdc, feeBips: 10, amount: '1001' },
  { address: 'ben', asset: eth, feeBips: 5, amount: '500' },
  { address: 'ann', asset: usdc, feeBips: 1, amount: '99' },
] as const
const worth = { volumeUsdMicros: 60_000_000_000n, feeUsdMicros: 180_000_000n }
const assetPrices = { source: 6_000_000_000_000n, destination: 5_982_000_000_000n }
const terms = { app: 'shop', worth, assetPrices, affiliateFees } satisfies ExampleChanges

const store = sharedStore()
let now: bigint
beforeAll(async () => {
  for (const app of ['shop', 'rival']) await createApp(store.db, app)
})
beforeEach(async () => {
  now = NOW
  await sql`truncate orders, order_list, order_counts, order_volumes, order_count_changes, ledger, ledger_changes, affiliate_totals cascade`.execute(
    store.db,
  )
})

const derive = () => reconcile({ db: store.db, registry, party: { role: 'service' } }, now)
const rows = () => store.db.selectFrom('ledger').select(['order_id', 'volume', 'fees', 'final']).execute()
const volume = async () =>
  (
    await sumCompletedOrders(store.db, {
      fromChains: null,
      toChains: null,
      addresses: null,
      chains: registry.chains.map(({ id }) => id),
      since: null,
      until: null,
    })
  ).volumeUsdMicros
const earned = async (app = 'shop') =>
  (await readEarnings(store.db, { app, affiliates: null, offset: 0, limit: 9 })).map(({ affiliate, amount, usdMicros, total, waiting }) => [
    affiliate,
    amount,
    usdMicros,
    total + waiting,
  ])

/** Both legs are redeemed, in blocks that are not final yet. */
async function complete(fixture: EngineFixture): Promise<void> {
  await fixture.watch()
  await fixture.fund('source', 'destination')
  await derive()
  expect(await rows()).toEqual([])
  for (const leg of ['destination', 'source'] as const) fixture.chainOf(leg).mine(fixture.events(leg).redeem)
  await fixture.watch()
  await derive()
}

async function passFinality({ bitcoin, ethereum, watch }: EngineFixture): Promise<void> {
  for (const chain of [bitcoin, ethereum]) chain.grow(registry.chain(chain.chain.id).finalityBlocks + 1)
  await watch()
  now += 2n
  await derive()
}

test('a completed order has one row at once, and earns its affiliates their shares once it is final', async () => {
  const fixture = await openEngineFixture(store, terms)
  await complete(fixture)
  const row = { order_id: fixture.order.id, volume: 60_000_000_000n, fees: 180_000_000n }
  expect(await rows()).toEqual([{ ...row, final: false }])
  expect(await volume()).toBe(60_000_000_000n)
  expect(await earned()).toEqual([])
  await passFinality(fixture)
  expect(await rows()).toEqual([{ ...row, final: true }])
  const shares = [
    ['ann', 1100n, 66_000_000n, 1100n],
    ['ben', 500n, 30_000_000n, 500n],
  ]
  expect(await earned()).toEqual(shares)
  expect(await earned('rival')).toEqual([])
  expect(await readCollected(store.db)).toEqual([{ solverId: 'solver', usdMicros: 96_000_000n, waitingUsdMicros: 96_000_000n }])

  // The order is reopened, closed again, derived again and rebuilt, and is still counted once.
  await store.db.updateTable('orders').set({ closed_at: null }).execute()
  await derive()
  await derive()
  await rebuildOrderList(store.db, registry, now)
  expect((await store.db.selectFrom('orders').select('closed_at').execute())[0]?.closed_at).not.toBeNull()
  expect(await earned()).toEqual(shares)
  expect(await volume()).toBe(60_000_000_000n)
  expect(await auditLedger(store.db)).toEqual([])
})

test('a reorg that undoes the completion takes the row away; it comes back with the redeem, once', async () => {
  const fixture = await openEngineFixture(store, terms)
  await complete(fixture)
  const { destination } = fixture.order
  const event = { chain: destination.chain, swap_id: destination.swapId, kind: 'redeemed' } as const
  const redeemed = await store.db
    .selectFrom('events')
    .selectAll()
    .where('chain', '=', event.chain)
    .where('swap_id', '=', event.swap_id)
    .where('kind', '=', event.kind)
    .execute()
  expect(redeemed).toHaveLength(1)
  const source = await sql`delete from events where kind = 'redeemed' returning *`.execute(store.db)
  await sql`insert into touched_orders (order_id) values (${fixture.order.id})`.execute(store.db)
  await derive()
  expect(await rows()).toEqual([])
  expect(await volume()).toBe(0n)
  expect(await auditLedger(store.db)).toEqual([])
  for (const row of source.rows)
    await store.db
      .insertInto('events')
      .values(row as (typeof redeemed)[number])
      .execute()
  await sql`insert into touched_orders (order_id) values (${fixture.order.id})`.execute(store.db)
  await derive()
  expect(await rows()).toHaveLength(1)
  expect(await volume()).toBe(60_000_000_000n)
  expect(await auditLedger(store.db)).toEqual([])
})

describe('by their lists', () => {
  const setStatus = (id: string, status: string) => sql`update order_list set status = ${status} where order_id = ${id}`.execute(store.db)
  const settle = async (id: string) => {
    await closeAnyway(store.db, id)
    await sql`select settle_ledger(array[${id}])`.execute(store.db)
  }

  test('shares are scaled to what was filled, rounded down, and add up over orders and apps', async () => {
    const filled = 97_123_457n
    for (const app of ['shop', 'shop', 'rival']) {
      const { order } = await putOrder(store.db, { ...terms, app })
      await store.db
        .updateTable('swaps')
        .set({ amount: filled })
        .where('order_id', '=', order.id)
        .where('leg', '=', 'destination')
        .execute()
      await setStatus(order.id, 'redeemed')
      await settle(order.id)
    }
    const [first] = await rows()
    const scaled = (amount: bigint) => (amount * filled) / 100_000_000n
    expect(first).toMatchObject({ volume: scaled(60_000_000_000n), fees: scaled(180_000_000n) })
    const ann = scaled(1001n) + scaled(99n)
    const ofShop = await earned()
    expect(ofShop.map(([name, amount, , total]) => [name, amount, total])).toEqual([
      ['ann', 2n * ann, 3n * ann],
      ['ben', 2n * scaled(500n), 3n * scaled(500n)],
    ])
    expect(await readTotals(store.db)).toEqual([
      { affiliate: 'ben', asset: eth, earned: 3n * scaled(500n), total: 0n },
      { affiliate: 'ann', asset: usdc, earned: 3n * ann, total: 0n },
    ])
    expect(await auditLedger(store.db)).toEqual([])
  })

  test('a final row survives a list that is wrong, and a rebuild adds what is missing', async () => {
    const { order } = await putOrder(store.db, terms)
    await setStatus(order.id, 'counterparty_redeemed')
    await settle(order.id)
    await setStatus(order.id, 'initiated')
    expect(await rows()).toHaveLength(1)
    expect(await auditLedger(store.db)).toMatchObject([
      { problem: 'orders are on the ledger and not completed', count: 1n, example: order.id },
    ])
    await setStatus(order.id, 'counterparty_redeemed')
    await sql`truncate ledger, ledger_changes, affiliate_totals, order_volumes cascade`.execute(store.db)
    expect((await auditLedger(store.db)).map(({ problem }) => problem)).toEqual(['completed orders are not on the ledger'])
    await sql`select fill_ledger()`.execute(store.db)
    expect((await earned())[0]).toEqual(['ann', 1100n, 66_000_000n, 1100n])
    expect(await auditLedger(store.db)).toEqual([])
  })

  test.each([
    ['shares on the ledger are not', `update ledger_shares set amount = amount + 1 where position = 3`],
    ['totals of affiliates are not', `update affiliate_totals set amount = amount - 1 where affiliate = 'ben'`],
    ['volumes and fees on the ledger are not', `update ledger set fees = fees - 1`],
    ['counters of volumes and fees are not', `delete from ledger_changes`],
    ['closed orders are not final', `update ledger set final = false`],
  ])('an audit finds that %s what they should be', async (problem, change) => {
    const { order } = await putOrder(store.db, terms)
    await setStatus(order.id, 'redeemed')
    await settle(order.id)
    expect(await auditLedger(store.db)).toEqual([])
    await sql.raw(change).execute(store.db)
    expect((await auditLedger(store.db)).some((found) => found.problem.startsWith(problem))).toBe(true)
  })
})
