import type { ActionVerb, Leg } from '@tandem/protocol/order.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publishPoll, readClock } from '../chain/polls.ts'
import { findOrder, findOrderSnapshots } from '../orders/orders.ts'
import { NOW, openTestStore, putOrder, recordAttempt, type TestStore, withResults } from '../store.fixture.ts'
import { readActionFacts } from './action-facts.ts'
import { leaseActions, syncWanted } from './actions.ts'
import { readAttempts } from './attempts.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())

/** An order with a leased action that has these attempts. */
async function attempted(txs: readonly string[], leg: Leg = 'destination', verb: ActionVerb = 'initiate') {
  const { order } = await putOrder(store.db)
  await syncWanted(store.db, [order.id], [{ orderId: order.id, leg, verb }])
  const action = (await leaseActions(store.db, 'engine', 60, { limit: 50 })).find(({ orderId }) => orderId === order.id)
  if (action === undefined) throw new Error('nothing to lease')
  for (const [index, tx] of txs.entries()) {
    const numbers = { nonce: 2n ** 60n + BigInt(index), feeRate: 10n ** 30n, at: NOW }
    const attempt = { tx, raw: `raw ${tx}`, slots: [`slot ${tx}`, 'other'], ...numbers, chain: 'ethereum_localnet', sender: 'solver' }
    await recordAttempt(store.db, [action], { ...attempt, holdsSecret: false })
  }
  return { order, action }
}

test('concurrent actions share a statement, and each gets its own order and attempts', async () => {
  const two = await attempted(['a', 'b'])
  const none = await attempted([])
  let statements = 0
  const db = withResults(store.db, () => (statements += 1))
  const queries = [
    { orderId: two.order.id, key: two.action.key },
    { orderId: none.order.id, key: none.action.key },
    { orderId: two.order.id, key: null },
    { orderId: 'unknown', key: none.action.key },
    { orderId: two.order.id, key: two.action.key },
  ]
  const read = await Promise.all(queries.map((query) => readActionFacts(db, query)))
  expect(read.map((facts) => facts?.stored.order.id ?? null)).toEqual([two.order.id, none.order.id, two.order.id, null, two.order.id])
  expect(read.map((facts) => facts?.attempts.map(({ tx }) => tx))).toEqual([['a', 'b'], [], [], undefined, ['a', 'b']])
  expect(read[0]?.attempts).toEqual(await readAttempts(store.db, two.action.key))
  expect(read[0]?.stored).toEqual(await findOrder(store.db, two.order.id))
  expect(statements).toBeLessThanOrEqual(3)
})

test('with the tip, the events and the published poll of each leg', async () => {
  const { order, action } = await attempted([])
  const facts = () => readActionFacts(store.db, { orderId: order.id, key: action.key })
  const nothing = { tip: null, events: [], publishedAgeMs: null }
  expect((await facts())?.legs).toEqual({ source: nothing, destination: nothing })
  const block = { chain: order.source.chain, height: 7n, hash: 'seven', parent_hash: 'six', time: NOW }
  await store.db.insertInto('blocks').values(block).execute()
  await publishPoll(store.db, order.source.chain, { hash: 'seven', beganAt: (await readClock(store.db)) - 1000 })
  const legs = (await facts())?.legs
  expect(legs?.destination).toEqual(nothing)
  expect(legs?.source.tip).toEqual({ height: 7n, hash: 'seven', time: NOW })
  expect(legs?.source.tip).toEqual((await findOrderSnapshots(store.db, [order.id]))[0]?.tips.source)
  expect(legs?.source.publishedAgeMs).toBeGreaterThanOrEqual(1000)
  expect(legs?.source.publishedAgeMs).toBeLessThan(10_000)
  await store.db
    .insertInto('blocks')
    .values({ ...block, height: 8n, hash: 'eight', parent_hash: 'seven' })
    .execute()
  expect((await facts())?.legs.source).toMatchObject({ tip: { hash: 'eight' }, publishedAgeMs: expect.any(Number) })
  await store.db.updateTable('blocks').set({ hash: 'another seven' }).where('height', '=', 7n).execute()
  expect((await facts())?.legs.source).toMatchObject({ tip: { hash: 'eight' }, publishedAgeMs: null })
})
