import { readCursor, recordPoll } from '@tandem/party/store/chain/events.ts'
import { findOrder } from '@tandem/party/store/orders/orders.ts'
import { readInFlight } from '@tandem/party/store/solver/in-flight.ts'
import { blockOf, closeAnyway, openTestStore, sightingsOf, type TestStore } from '@tandem/party/store/store.fixture.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { acceptOrder } from '../orders.ts'
import { caller, openSolver, orderRequest, type TestSolver, wbtc } from '../solver.fixture.ts'

let store: TestStore
let solver: TestSolver
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())
beforeEach(async () => {
  solver = await openSolver(store)
})

async function accept() {
  const request = orderRequest()
  await acceptOrder(solver.context, request, caller)
  const stored = await findOrder(store.db, request.order_id)
  if (stored === null) throw new Error('the order was not stored')
  return stored.order
}
const reserve = (orderId: string) => solver.context.inventory.reserve({ orderId, asset: wbtc, amount: 980_000n })
const flights = () => readInFlight(store.db)

test('an order is in flight from when inventory is reserved for it until it is closed', async () => {
  const { id } = await accept()
  expect(await flights()).toEqual([])
  await reserve(id)
  expect(await flights()).toMatchObject([
    { orderId: id, admitted: false, usdMicros: 588_000_000n, source: { isSpent: false, block: null } },
  ])
  await closeAnyway(store.db, id)
  expect(await flights()).toEqual([])
})

test('its source is as final as the newest deposit: once the solver has signed, of those alone that it signed for', async () => {
  const { id, source } = await accept()
  await reserve(id)
  const { chain } = source
  const part = (name: string): HtlcEvent => ({ ...sightingsOf(source.swapId).initiated(), tx: name, deposit: name })
  const poll = async (height: bigint, name: string, ...unconfirmed: readonly HtlcEvent[]) => {
    const block = blockOf(height)
    const after = await readCursor(store.db, chain)
    await recordPoll(store.db, { chain, after, blocks: [block], events: [{ ...part(name), block }], unconfirmed })
    return (await flights())[0]?.source.block?.height ?? null
  }
  expect(await poll(5n, 'first')).toBe(5n)
  expect(await poll(7n, 'second')).toBe(7n)
  expect(await poll(8n, 'third', part('dust'))).toBeNull()
  await store.db
    .insertInto('fills')
    .values({ order_id: id, deposits: ['first', 'second'], block_hash: '', destination_amount: 980_000n, signature: '00' })
    .execute()
  expect((await flights())[0]?.source.block?.height).toBe(7n)
})
