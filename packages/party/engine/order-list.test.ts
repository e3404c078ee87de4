/** Tests that the listed status of an order equals the derived one. */
import type { Role } from '@tandem/protocol/order.ts'
import { deriveOrder, type OrderStatus, orderStatuses } from '@tandem/protocol/state.ts'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createApp } from '../store/apps/apps.ts'
import type { Database } from '../store/database/database.ts'
import { auditLedger } from '../store/ledger/audit-ledger.ts'
import { foldOrderCounts } from '../store/order-list/order-counts.ts'
import { type OrderFilter, searchOrders } from '../store/order-list/order-search.ts'
import { sumCompletedOrders } from '../store/order-list/order-statistics.ts'
import { findOrderSnapshots, setRefundAddress } from '../store/orders/orders.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { blockOf, closeAnyway, NOW, putOrder, sightingsOf } from '../store/store.fixture.ts'
import { registry } from './engine.fixture.ts'
import { factsOf } from './facts.ts'
import { expireOrderList, rebuildOrderList, repairOrderList } from './order-list.ts'
import { reconcile } from './reconciler.ts'

const store = sharedStore()
beforeAll(async () => {
  await createApp(store.db, 'shop')
  await createApp(store.db, 'rival')
})
beforeEach(async () => {
  await sql`truncate orders, swaps, events, blocks, grants, actions, attempts, order_list, order_counts, order_volumes, order_count_changes, ledger, ledger_changes,
    affiliate_totals cascade`.execute(store.db)
})

const chains = ['bitcoin_regtest', 'ethereum_localnet', 'arbitrum_localnet'] as const
const everything: OrderFilter = {
  asker: { kind: 'app', name: 'shop' },
  apps: null,
  statuses: null,
  fromChains: null,
  toChains: null,
  solverIds: null,
  chains,
  addresses: null,
  fromOwners: null,
  toOwners: null,
  secretHashes: null,
  txs: null,
}
const worth = { volumeUsdMicros: 60_000_000_000n, feeUsdMicros: 0n }
/** Pseudorandom numbers that are the same in every run. */
function createDice(seed: number) {
  let state = seed
  return (sides: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % sides
  }
}

async function placeTip(db: Database, chain: string, height: bigint, time: bigint): Promise<void> {
  await db.deleteFrom('blocks').where('chain', '=', chain).execute()
  await db
    .insertInto('blocks')
    .values({ chain, height, hash: `${chain} ${height}`, parent_hash: '', time })
    .execute()
}

async function derived(now: bigint): Promise<ReadonlyMap<string, OrderStatus>> {
  const rows = await store.db.selectFrom('orders').select('id').where('app', 'is not', null).execute()
  const snapshots = await findOrderSnapshots(
    store.db,
    rows.map(({ id }) => id),
  )
  return new Map(snapshots.map((snapshot) => [snapshot.stored.order.id, deriveOrder(factsOf(registry, snapshot, now)).status]))
}

async function listed(): Promise<ReadonlyMap<string, OrderStatus>> {
  const rows = await store.db.selectFrom('order_list').select(['order_id', 'status']).execute()
  return new Map(rows.map((row) => [row.order_id, row.status]))
}

/** Runs without the sweep, so that only what changed is derived. */
async function update(role: Role, now: bigint): Promise<void> {
  await reconcile({ db: store.db, registry, party: { role } }, now)
  if (role === 'service') await expireOrderList(store.db, registry, now)
}

async function expectExactCounts(): Promise<void> {
  const filters: (Partial<OrderFilter> & { readonly where: string })[] = [
    { where: 'true' },
    ...orderStatuses.map((status) => ({ statuses: [status], where: `status = '${status}'` })),
    ...chains.flatMap((chain) => [
      { fromChains: [chain], where: `from_chain = '${chain}'` },
      { toChains: [chain], statuses: ['created'] as const, where: `to_chain = '${chain}' and status = 'created'` },
    ]),
    { solverIds: ['solver', 'nobody'], where: `solver_id in ('solver', 'nobody')` },
  ]
  for (const apps of [['shop'], ['rival'], ['shop', 'rival']]) {
    const asker = apps.length === 1 ? ({ kind: 'app', name: apps[0] ?? '' } as const) : ({ kind: 'all' } as const)
    for (const { where, ...filter } of filters) {
      const { rows } = await sql<{ n: bigint }>`
        select count(*) as n from order_list where app = any(${apps}::text[]) and ${sql.raw(where)}`.execute(store.db)
      const { total } = await searchOrders(store.db, { ...everything, ...filter, asker }, { offset: 0, limit: 1 })
      expect({ asker, where, total }).toEqual({ asker, where, total: Number(rows[0]?.n) })
    }
  }
  const { rows } = await sql<{ volume: bigint; fees: bigint }>`
    select coalesce(sum(volume), 0) as volume, coalesce(sum(fees), 0) as fees from ledger`.execute(store.db)
  const filter = { fromChains: null, toChains: null, addresses: null, chains, since: null, until: null }
  const { volumeUsdMicros, feesUsdMicros } = await sumCompletedOrders(store.db, filter)
  expect({ volume: volumeUsdMicros, fees: feesUsdMicros }).toEqual(rows[0])
}

test.each([1, 2, 3, 4])('the listed status equals the derived status through a random history (seed %i)', async (seed) => {
  const dice = createDice(seed)
  const { db } = store
  const orders = await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      const { order } = await putOrder(db, { app: n % 4 === 0 ? 'rival' : 'shop', worth, deadline: NOW + BigInt(600 * (n % 5)) })
      return order
    }),
  )
  let now = NOW
  let height = 10n
  for (let round = 0; round < 30; round += 1) {
    const open = await db.selectFrom('orders').select('id').where('closed_at', 'is', null).execute()
    for (const order of orders.filter(({ id }) => dice(3) === 0 && open.some((row) => row.id === id))) {
      const leg = dice(2) === 0 ? 'source' : 'destination'
      const block = dice(3) === 0 ? null : blockOf(height)
      const sightings = sightingsOf(order[leg].swapId, block)
      const event = [sightings.initiated(), sightings.initiated(1n), sightings.redeemed('ab'.repeat(32)), sightings.refunded()][dice(4)]
      if (dice(4) === 0 || event === undefined) {
        await db.deleteFrom('events').where('swap_id', '=', order[leg].swapId).execute()
        continue
      }
      await db
        .insertInto('events')
        .values({
          chain: order[leg].chain,
          tx: event.tx,
          index: event.index,
          swap_id: event.swapId,
          kind: event.kind,
          deposit: event.deposit,
          amount: event.kind === 'initiated' ? event.amount : null,
          secret: event.kind === 'redeemed' ? event.secret : null,
          block_height: event.block?.height ?? null,
          block_hash: event.block?.hash ?? null,
          block_time: event.block?.time ?? null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    }
    // A chain's clock may be ahead of ours, and fall back in a reorg.
    height = dice(4) === 0 ? height - 1n : height + 1n
    now += BigInt(dice(200))
    for (const chain of chains) await placeTip(db, chain, height, now + BigInt(dice(400)) - 200n)
    await update('service', now)
    expect(await listed()).toEqual(await derived(now))
  }
  const seen = new Set((await derived(now)).values())
  expect(seen.size).toBeGreaterThan(2)
  await expectExactCounts()
})

test('an unfunded order expires by the later of both clocks', async () => {
  const { order } = await putOrder(store.db, { app: 'shop', worth, deadline: NOW + 100n })
  const statusAt = async (now: bigint) => {
    await update('service', now)
    return (await listed()).get(order.id)
  }
  expect(await statusAt(NOW + 100n)).toBe('created')
  await placeTip(store.db, order.source.chain, 1n, NOW + 101n)
  expect(await statusAt(NOW)).toBe('expired')
  await placeTip(store.db, order.source.chain, 1n, NOW + 100n)
  expect(await statusAt(NOW)).toBe('created')
  expect(await statusAt(NOW + 101n)).toBe('expired')
})

test('nothing is written without a change, nor for a solver', async () => {
  const { order } = await putOrder(store.db, { app: 'shop', worth, deadline: NOW - 1n })
  const versions = async () => (await sql`select seq, xmin, ctid from order_list`.execute(store.db)).rows
  const before = await versions()
  await update('solver', NOW)
  expect(await versions()).toEqual(before)
  await update('service', NOW)
  const expired = await versions()
  expect(expired).not.toEqual(before)
  const changes = async () => (await sql`select * from order_count_changes`.execute(store.db)).rows.length
  const noted = await changes()
  await update('service', NOW)
  expect(await versions()).toEqual(expired)
  expect(await changes()).toBe(noted)
  await putOrder(store.db, { app: null, worth: null })
  expect([...(await listed()).keys()]).toEqual([order.id])
})

test('an order with a later refund address is found by that owner', async () => {
  const { order } = await putOrder(store.db, { app: 'shop', worth, sourceOwner: '' })
  const find = async (owner: string) =>
    (await searchOrders(store.db, { ...everything, fromOwners: [owner] }, { offset: 0, limit: 5 })).orderIds
  expect(await find('alice')).toEqual([])
  await setRefundAddress(store.db, order.id, 'alice', 'seal')
  expect(await find('alice')).toEqual([order.id])
  await rebuildOrderList(store.db, registry, NOW)
  expect(await find('alice')).toEqual([order.id])
})

test('counts are exact while orders are created, changed and folded concurrently', async () => {
  const dice = createDice(7)
  const make = (n: number) =>
    putOrder(n % 2 === 0 ? store.db : store.other, {
      app: n % 3 === 0 ? 'rival' : 'shop',
      worth: { volumeUsdMicros: BigInt(n + 1) * 1_000_000n, feeUsdMicros: BigInt(n) },
      source: { chain: chains[n % 3] ?? '' },
    })
  const change = async () => {
    const status = orderStatuses[dice(orderStatuses.length)] ?? 'created'
    await sql`update order_list set status = ${status} where seq % 3 = ${dice(3)}`.execute(store.other)
  }
  for (let round = 0; round < 4; round += 1) {
    await Promise.all([
      ...Array.from({ length: 20 }, (_, n) => make(n)),
      change(),
      foldOrderCounts(store.db, 1),
      foldOrderCounts(store.other, 1),
    ])
    await change()
    await expectExactCounts()
    expect(await auditLedger(store.db)).toEqual([])
  }
  await foldOrderCounts(store.db, 1)
  expect(await store.db.selectFrom('order_count_changes').selectAll().execute()).toEqual([])
  await expectExactCounts()
  await sql`delete from order_list where seq % 2 = 0`.execute(store.db)
  await expectExactCounts()
})

describe('a corrupt list', () => {
  async function corruptList() {
    const { db } = store
    const made = []
    for (let n = 0; n < 12; n += 1) {
      const { order } = await putOrder(db, { app: n % 4 === 0 ? 'rival' : 'shop', worth, deadline: NOW + BigInt(n % 2) * 100n })
      made.push(order)
    }
    const funded = made[3]
    if (funded === undefined) throw new Error('no order')
    const { tx, index, kind, deposit } = sightingsOf(funded.source.swapId).initiated()
    await db
      .insertInto('events')
      .values({ chain: funded.source.chain, swap_id: funded.source.swapId, tx, index, kind, deposit, amount: 100_000_000n })
      .execute()
    await closeAnyway(db, funded.id)
    await foldOrderCounts(db, 1)
    await sql`update order_list set status = 'refunded', from_owner = 'mallory', volume = 7, fee = 7 where seq % 3 = 0`.execute(db)
    await sql`delete from order_list where seq % 3 = 1`.execute(db)
    await sql`insert into order_list select 900000000, 'no order', app, solver_id, from_chain, to_chain, from_owner, to_owner, status, deadline,
      created_at, volume, fee from order_list limit 1`.execute(db)
    await sql`update order_counts set orders = orders + 5`.execute(db)
    await sql`delete from order_volumes`.execute(db)
    await sql`insert into order_count_changes select app, 'created', from_chain, to_chain, solver_id, 0, 3 from order_counts limit 2`.execute(
      db,
    )
    return made
  }
  const now = NOW + 50n
  async function expectRestored(made: readonly { readonly id: string }[]) {
    const list = await listed()
    expect(list).toEqual(await derived(now))
    expect(list.size).toBe(made.length)
    expect(new Set(list.values())).toEqual(new Set(['created', 'expired', 'initiate_detected']))
    const rows = await store.db.selectFrom('order_list').select(['order_id', 'volume', 'fee', 'from_owner']).orderBy('seq').execute()
    // One bitcoin at the example's prices, which are a hundred-millionth of a dollar apart.
    expect(rows).toEqual(made.map(({ id }) => ({ order_id: id, volume: 60_000_000_000n, fee: 0n, from_owner: 'alice' })))
    await expectExactCounts()
  }

  test('is restored by a rebuild, in the old sequence', async () => {
    const made = await corruptList()
    await rebuildOrderList(store.db, registry, now)
    await expectRestored(made)
  })

  test('is rebuilt automatically, once, if another version built it', async () => {
    const signal = new AbortController().signal
    const made = await corruptList()
    await repairOrderList(store.db, registry, now, signal)
    expect((await listed()).size).not.toBe(made.length)
    await store.db.updateTable('projections').set({ version: 0 }).execute()
    await repairOrderList(store.db, registry, now, AbortSignal.abort())
    expect((await listed()).size).not.toBe(made.length)
    await repairOrderList(store.db, registry, now, signal)
    await expectRestored(made)
    await sql`delete from order_list`.execute(store.db)
    await repairOrderList(store.db, registry, now, signal)
    expect((await listed()).size).toBe(0)
  })
})

describe('pages', () => {
  /** Leaves large gaps between orders, as if most orders belonged to other apps. */
  async function scatter(buckets: number): Promise<void> {
    for (let n = 0; n < 40; n += 1) {
      const place = 8192 * Math.floor((n * buckets) / 40) + 100 * n + 1
      await sql`select setval(pg_get_serial_sequence('orders', 'seq'), ${place})`.execute(store.db)
      await putOrder(store.db, {
        app: n % 5 === 4 ? 'rival' : 'shop',
        worth,
        sourceOwner: n % 2 === 0 ? 'alice' : 'carol',
        destinationOwner: n % 3 === 0 ? 'alice' : 'bob',
        source: { chain: chains[n % 3] ?? '' },
      })
    }
    await sql`update order_list set status = case when seq % 2 = 0 then 'refunded' else 'expired' end where seq / 100 % 4 > 0`.execute(
      store.db,
    )
  }

  const filters: readonly (Partial<OrderFilter> & { readonly where: string })[] = [
    { where: `app = 'shop'` },
    { asker: { kind: 'app', name: 'rival' }, where: `app = 'rival'` },
    { asker: { kind: 'all' }, where: 'true' },
    { asker: { kind: 'all' }, statuses: ['refunded', 'created'], where: `status in ('refunded', 'created')` },
    { asker: { kind: 'all' }, fromChains: ['arbitrum_localnet'], where: `from_chain = 'arbitrum_localnet'` },
    { asker: { kind: 'all' }, apps: ['rival'], solverIds: ['solver'], where: `app = 'rival'` },
    { asker: { kind: 'all' }, solverIds: ['nobody'], where: 'false' },
    { asker: { kind: 'all' }, statuses: [], where: 'false' },
    { statuses: ['refunded'], where: `app = 'shop' and status = 'refunded'` },
    { statuses: ['refunded', 'created'], where: `app = 'shop' and status in ('refunded', 'created')` },
    { fromChains: ['arbitrum_localnet'], where: `app = 'shop' and from_chain = 'arbitrum_localnet'` },
    { toChains: ['ethereum_localnet'], statuses: ['expired'], where: `app = 'shop' and status = 'expired'` },
    { solverIds: ['solver'], fromChains: ['bitcoin_regtest', 'moon'], where: `app = 'shop' and from_chain = 'bitcoin_regtest'` },
    { solverIds: ['nobody'], where: 'false' },
    { apps: ['rival'], where: 'false' },
    { apps: ['rival', 'shop'], where: `app = 'shop'` },
    { addresses: ['alice'], where: `'alice' in (from_owner, to_owner)` },
    { addresses: ['alice', 'bob'], where: `from_owner in ('alice', 'bob') or to_owner in ('alice', 'bob')` },
    { addresses: ['alice'], apps: ['rival'], where: `'alice' in (from_owner, to_owner) and app = 'rival'` },
    { addresses: ['alice'], toOwners: ['bob'], where: `from_owner = 'alice' and to_owner = 'bob'` },
    { fromOwners: ['carol'], statuses: ['refunded'], where: `from_owner = 'carol' and status = 'refunded'` },
    { toOwners: ['alice', 'bob'], fromChains: ['bitcoin_regtest'], where: `from_chain = 'bitcoin_regtest'` },
  ]

  test.each([1, 3, 20, 30])('together hold every matching order, newest first, over %i buckets', async (buckets) => {
    await scatter(buckets)
    for (const fold of [false, true]) {
      if (fold) await foldOrderCounts(store.db, 1)
      for (const { where, ...filter } of filters) {
        const { rows } = await sql<{ id: string }>`
          select order_id as id from order_list where ${sql.raw(where)} order by seq desc`.execute(store.db)
        const expected = rows.map(({ id }) => id)
        for (const limit of [1, 7, 13, 500]) {
          const found: string[] = []
          for (let offset = 0; offset <= expected.length; offset += limit) {
            const page = await searchOrders(store.db, { ...everything, ...filter }, { offset, limit })
            expect(page.total).toBe(expected.length)
            found.push(...page.orderIds)
          }
          expect({ where, limit, found }).toEqual({ where, limit, found: expected })
        }
      }
    }
  })
})
