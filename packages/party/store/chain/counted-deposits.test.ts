import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { Order } from '@tandem/protocol/order.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { blockOf, closeAnyway, openTestStore, putOrder, sightingsOf, type TestStore } from '../store.fixture.ts'
import { readCountedDeposits, withoutBlock } from './counted-deposits.ts'
import { readCursor, recordPoll, rewind } from './events.ts'

let store: TestStore
let order: Order
let deposit: HtlcEvent
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())
beforeEach(async () => {
  for (const table of ['events', 'blocks', 'swaps', 'orders'] as const) await store.db.deleteFrom(table).execute()
  order = (await putOrder(store.db, { source: { requiredConfirmations: 3 } })).order
  deposit = sightingsOf(order.source.swapId).initiated()
  await poll(7n)
})

async function poll(height: bigint | null): Promise<void> {
  const block = blockOf(height ?? 6n)
  const [events, unconfirmed] = height === null ? [[], [deposit]] : [[{ ...deposit, block }], []]
  const { chain } = order.source
  await recordPoll(store.db, { chain, after: await readCursor(store.db, chain), blocks: [block], events, unconfirmed })
}
const counted = (from: bigint, tip: bigint) => readCountedDeposits(store.db, order.source.chain, { from, tip })

test('a deposit counts once it has its confirmations, in the removed blocks alone, and while its order is open', async () => {
  const found = [{ swapId: order.source.swapId, deposit: deposit.deposit }]
  expect(await counted(7n, 8n)).toEqual([])
  expect(await counted(7n, 9n)).toEqual(found)
  expect(await counted(8n, 9n)).toEqual([])
  await closeAnyway(store.db, order.id)
  expect(await counted(7n, 9n)).toEqual([])
})

test('a deposit is found again in a block, and not in the mempool', async () => {
  const lost = await counted(7n, 9n)
  const missing = () => withoutBlock(store.db, order.source.chain, lost)
  expect(await missing()).toEqual([])
  await rewind(store.db, order.source.chain, blockOf(6n))
  expect(await missing()).toEqual(lost)
  await poll(null)
  expect(await missing()).toEqual(lost)
  await poll(8n)
  expect(await missing()).toEqual([])
  const another = [{ swapId: order.source.swapId, deposit: 'another' }]
  expect(await withoutBlock(store.db, order.source.chain, another)).toEqual(another)
})
