import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { insertOrder, insertOrders } from '../orders/insert-orders.ts'
import { blockOf, closeAnyway, exampleOrder, openTestStore, putOrder, sightingsOf, type TestStore } from '../store.fixture.ts'
import { readCursor, recordPoll } from './events.ts'
import { readAllWatched, readChangedWatched, readHorizon, readOpenWatched, type WatchedRow } from './watched.ts'

const chain = 'bitcoin_regtest'
const scope = { chain, partialDeposits: true }
let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())
beforeEach(async () => {
  for (const table of ['events', 'blocks', 'swaps', 'orders'] as const) await store.db.deleteFrom(table).execute()
})

async function listed(pages: AsyncGenerator<readonly WatchedRow[]>) {
  const rows: WatchedRow[] = []
  for await (const page of pages) rows.push(...page)
  return new Map(rows.map((row) => [row.swapId, row]))
}
const all = (partialDeposits = true) => listed(readAllWatched(store.db, { chain, partialDeposits }))
const changedSince = async (horizon: bigint) => (await readChangedWatched(store.db, scope, horizon)).rows.map(({ swapId }) => swapId)
/** Waits: other transactions on the same server may hold the horizon back, and then unchanged rows are read, too. */
const settledHorizon = () =>
  vi.waitFor(
    async () => {
      const { rows } = await sql<{ last: bigint }>`select max(watched_in) as last from swaps`.execute(store.db)
      const horizon = await readHorizon(store.db)
      expect(horizon).toBeGreaterThan(rows[0]?.last ?? 0n)
      return horizon
    },
    { timeout: 50_000, interval: 20 },
  )
const put = async () => (await putOrder(store.db)).order

describe('readAllWatched', () => {
  test('returns the swaps of open orders on this chain, with all known deposits', async () => {
    const [open, quiet] = [await put(), await put()]
    const { swapId } = open.source
    const second = { ...sightingsOf(swapId).initiated(), tx: 'second', deposit: 'second deposit' }
    await recordPoll(store.db, {
      chain,
      after: await readCursor(store.db, chain),
      blocks: [blockOf(1n)],
      events: [sightingsOf(swapId, blockOf(1n)).initiated()],
      unconfirmed: [second, { ...sightingsOf(swapId).refunded(), deposit: 'spent by a refund' }],
    })
    const watched = await all()
    expect([...watched.keys()].sort()).toEqual([swapId, quiet.source.swapId].sort())
    expect(watched.get(swapId)).toMatchObject({ orderId: open.id, leg: 'source', terms: open.source.terms, watching: 'open' })
    expect([...(watched.get(swapId)?.deposits ?? [])].sort()).toEqual([`deposit of ${swapId}`, 'second deposit'])
    expect(watched.get(quiet.source.swapId)?.deposits).toEqual([])
  })

  test('with partial deposits, also returns source swaps of orders closed within a year, without their deposits', async () => {
    const [recent, old, open] = [await put(), await put(), await put()]
    const step = { chain, after: null, blocks: [blockOf(1n)], unconfirmed: [] }
    await recordPoll(store.db, { ...step, events: [sightingsOf(recent.source.swapId, blockOf(1n)).initiated()] })
    for (const id of [recent.id, old.id]) await closeAnyway(store.db, id)
    const yearAgo = new Date(Date.now() - 366 * 24 * 3600 * 1000)
    await store.db.updateTable('orders').set({ closed_at: yearAgo }).where('id', '=', old.id).execute()
    const watched = await all()
    expect([...watched.keys()].sort()).toEqual([recent.source.swapId, open.source.swapId].sort())
    expect(watched.get(recent.source.swapId)).toMatchObject({ watching: 'finished', deposits: [] })
    expect([...(await all(false)).keys()]).toEqual([open.source.swapId])
    expect([...(await listed(readOpenWatched(store.db, scope))).keys()]).toEqual([open.source.swapId])
    const elsewhere = { chain: 'ethereum_localnet', partialDeposits: true }
    expect([...(await listed(readAllWatched(store.db, elsewhere))).keys()]).toEqual([open.destination.swapId])
  })
})

test('readOpenWatched reads more orders than fit into one page', async () => {
  const orders = Array.from({ length: 2_001 }, () => ({ input: exampleOrder(), sealed: [] }))
  await insertOrders(store.db, orders)
  expect((await listed(readOpenWatched(store.db, scope))).size).toBe(2_001)
  await closeAnyway(store.db, orders[0]?.input.order.id ?? '')
  expect((await listed(readOpenWatched(store.db, scope))).size).toBe(2_000)
})

describe('readChangedWatched', () => {
  test('returns new orders, changed swaps, and orders that were closed or reopened', async () => {
    const [still, changed, closed, opened] = [await put(), await put(), await put(), await put()]
    await closeAnyway(store.db, opened.id)
    const horizon = await settledHorizon()
    expect(await changedSince(horizon)).toEqual([])
    await store.db.updateTable('swaps').set({ swap_id: 'changed' }).where('order_id', '=', changed.id).where('leg', '=', 'source').execute()
    await closeAnyway(store.db, closed.id)
    await store.db.updateTable('orders').set({ closed_at: null }).where('id', '=', opened.id).execute()
    const made = await put()
    const found = new Map((await readChangedWatched(store.db, scope, horizon)).rows.map((row) => [row.swapId, row]))
    expect([...found].map(([swapId, row]) => [swapId, row.watching]).sort()).toEqual(
      [
        ['changed', 'open'],
        [closed.source.swapId, 'finished'],
        [opened.source.swapId, 'open'],
        [made.source.swapId, 'open'],
      ].sort(),
    )
    expect(found.has(still.source.swapId)).toBe(false)
    expect(await changedSince(await settledHorizon())).toEqual([])
  })

  test('includes rows written before the horizon and committed after it', async () => {
    const slow = exampleOrder()
    let horizon = 0n
    await store.other.transaction().execute(async (tx) => {
      await insertOrder(tx, slow)
      await put()
      horizon = await readHorizon(store.db)
      await put()
      expect(await changedSince(horizon)).not.toContain(slow.order.source.swapId)
    })
    expect(await changedSince(horizon)).toContain(slow.order.source.swapId)
  })

  test('ignores transaction numbers of the database that this one was restored from', async () => {
    const order = await put()
    const horizon = await readHorizon(store.db)
    await store.db.transaction().execute(async (tx) => {
      await sql`set local session_replication_role = replica`.execute(tx)
      await sql`update swaps set watched_in = ${(horizon + 1_000_000n).toString()}::bigint where order_id = ${order.id}`.execute(tx)
    })
    expect(await changedSince(horizon)).toEqual([])
    const made = await put()
    expect(await changedSince(horizon)).toEqual([made.source.swapId])
  })
})
