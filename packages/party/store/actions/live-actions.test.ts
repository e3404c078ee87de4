import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import { actionKey, type Order } from '@tandem/protocol/order.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordPoll } from '../chain/events.ts'
import { blockOf, openTestStore, putOrder, sightingsOf, type TestStore } from '../store.fixture.ts'
import { createLiveActions } from './live-actions.ts'

const chain = 'bitcoin_regtest'
let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())

const refundOf = ({ id, source }: Order) =>
  ({ key: actionKey(id, 'source', 'refund'), chain: source.chain, swapId: source.swapId, shows: 'refunded' }) as const
const refunded = (event: HtlcEvent, tx: string): HtlcEvent => ({ ...event, tx, deposit: `deposit of ${tx}` })

test('tells what was sent, what the chain shows, the newest last, and why it is refused', async () => {
  const [{ order }, { order: other }] = [await putOrder(store.db), await putOrder(store.db)]
  const read = createLiveActions(store.db)
  expect(await read(refundOf(order))).toEqual({ lastTx: null, refusal: null, seen: [] })
  const { key } = refundOf(order)
  const action = { key, order_id: order.id, leg: 'source', verb: 'refund', wanted: true } as const
  await store.db
    .insertInto('actions')
    .values({ ...action, last_tx: 'sent', refusal: 'no' })
    .execute()
  const [first, second] = [blockOf(1n), blockOf(2n)]
  const on = (block: typeof first | null) => sightingsOf(order.source.swapId, block)
  await recordPoll(store.db, {
    chain,
    after: null,
    blocks: [first, second],
    events: [on(first).initiated(), refunded(on(second).refunded(), 'newer'), refunded(on(first).refunded(), 'older')],
    unconfirmed: [refunded(on(null).refunded(), 'unconfirmed')],
  })
  expect(await read(refundOf(order))).toEqual({ lastTx: 'sent', refusal: 'no', seen: ['older', 'newer', 'unconfirmed'] })
  const several = await Promise.all([order, order, order, other, order].map((one) => read(refundOf(one))))
  expect(several.map(({ lastTx }) => lastTx)).toEqual(['sent', 'sent', 'sent', null, 'sent'])
})
