import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { signedGrant } from '../../protocol/grants.fixture.ts'
import type { HtlcEvent } from '../../protocol/htlc.ts'
import { syncWanted } from '../actions/actions.ts'
import { recordPoll } from '../chain/events.ts'
import { closeAnyway, deriveTouched, openTestStore, putOrder, sightingsOf, type TestStore } from '../store.fixture.ts'
import { addGrant } from './grants.ts'
import { listOpenAfter, touchActive } from './open-orders.ts'
import { recordPrefund } from './prefunds.ts'
import { SHARDS } from './touched-orders.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())
beforeEach(async () => {
  for (const table of ['events', 'actions', 'grants', 'prefunds', 'swaps', 'orders'] as const) await store.db.deleteFrom(table).execute()
})

const shards = Array.from({ length: SHARDS }, (_, shard) => shard)
const happen = (event: HtlcEvent, chain: string) =>
  recordPoll(store.db, { chain, after: null, blocks: [], events: [], unconfirmed: [event] })

async function activeIds(ofShards = shards): Promise<readonly string[]> {
  await store.db.deleteFrom('touched_orders').execute()
  const rows = await store.db.selectFrom('orders').select('id').execute()
  await touchActive(
    store.db,
    rows.map(({ id }) => id),
    ofShards,
  )
  return [...(await deriveTouched(store.db))].sort()
}

test('touchActive marks open orders with a grant, an action, an event or a prefunded amount', async () => {
  const [granted, acted, funded, paid, quiet, closed] = [
    (await putOrder(store.db)).order,
    (await putOrder(store.db)).order,
    (await putOrder(store.db)).order,
    (await putOrder(store.db)).order,
    (await putOrder(store.db)).order,
    (await putOrder(store.db)).order,
  ]
  expect(await activeIds()).toEqual([])
  await addGrant(store.db, granted.id, signedGrant('s'))
  await addGrant(store.db, closed.id, signedGrant('s'))
  await syncWanted(store.db, [acted.id], [{ orderId: acted.id, leg: 'source', verb: 'refund' }])
  await syncWanted(store.db, [acted.id], [])
  await happen(sightingsOf(funded.destination.swapId).initiated(), funded.destination.chain)
  for (const [order, amount] of [
    [paid, 1n],
    [quiet, 0n],
  ] as const)
    await recordPrefund(store.db, order.id, { amount, seenAt: new Date() })
  // An event with the same swap id on another chain belongs to another swap.
  await happen(sightingsOf(quiet.destination.swapId).initiated(), quiet.source.chain)
  await closeAnyway(store.db, closed.id)
  const expected = [granted.id, acted.id, funded.id, paid.id].sort()
  expect(await activeIds()).toEqual(expected)
  const halves = [await activeIds(shards.filter((shard) => shard % 2 === 0)), await activeIds(shards.filter((shard) => shard % 2 === 1))]
  expect(halves.flat().sort()).toEqual(expected)
})

test('listOpenAfter goes through all open orders, page by page', async () => {
  const ids: string[] = []
  for (let n = 0; n < 5; n += 1) ids.push((await putOrder(store.db)).order.id)
  await closeAnyway(store.db, ids[2] ?? '')
  const pages: (readonly string[])[] = []
  for (let after: bigint | null = 0n; after !== null; ) {
    const { orderIds, end } = await listOpenAfter(store.db, after, 2)
    pages.push(orderIds)
    after = end
  }
  expect(pages).toEqual([[ids[0], ids[1]], [ids[3], ids[4]], []])
})
