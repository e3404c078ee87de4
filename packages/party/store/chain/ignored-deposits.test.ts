import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordOwnFill } from '../orders/fills.ts'
import { blockOf, openTestStore, putOrder, sightingsOf, type TestStore } from '../store.fixture.ts'
import { readConsideredEvents } from './considered-events.ts'
import { recordPoll } from './events.ts'
import { readIgnoredDeposits } from './ignored-deposits.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())

test('finds the mined and unspent deposits that are not considered, for each order', async () => {
  const [crowded, filled, quiet] = [await putOrder(store.db), await putOrder(store.db), await putOrder(store.db)]
  const block = blockOf(1n)
  const chain = crowded.order.source.chain
  const deposit = (swapId: string, amount: bigint): HtlcEvent => ({
    ...sightingsOf(swapId, block).initiated(amount),
    tx: `${swapId} ${amount}`,
    deposit: `${swapId} ${amount}`,
  })
  const many = ({ order }: typeof crowded, count: bigint) =>
    Array.from({ length: Number(count) }, (_, n) => deposit(order.source.swapId, 1000n + BigInt(n)))
  const events = [...many(crowded, 130n), ...many(filled, 112n), ...many(quiet, 100n)]
  const spent = { ...sightingsOf(crowded.order.source.swapId, block).refunded(), deposit: `${crowded.order.source.swapId} 1010` }
  await recordPoll(store.db, { chain, after: null, blocks: [block], events, unconfirmed: [] })
  const next = { ...blockOf(2n), parentHash: block.hash }
  const spend = { ...spent, block: { height: next.height, hash: next.hash, time: next.time } }
  await recordPoll(store.db, { chain, after: block, blocks: [next], events: [spend], unconfirmed: [] })
  const { id, source, destination } = filled.order
  const fill = { deposits: [`${source.swapId} 1009`], blockHash: block.hash, destinationAmount: 1n }
  await recordOwnFill(store.db, id, fill, { amount: 1n, swapId: destination.swapId }, 'signature')

  const ignored = await readIgnoredDeposits(store.url, 10, 5000)
  const expected = await Promise.all(
    [crowded, filled].map(async ({ order }) => {
      const considered = await readConsideredEvents(store.db, chain, order.source.swapId)
      const ids = new Set(considered.events.map((event) => event.deposit))
      const left = events.filter(
        (event) => event.swapId === order.source.swapId && !ids.has(event.deposit) && event.deposit !== spent.deposit,
      )
      const amount = left.reduce((sum, event) => sum + (event.kind === 'initiated' ? event.amount : 0n), 0n)
      return { orderId: order.id, chain, deposits: left.length, amount }
    }),
  )
  expect(ignored).toEqual(expected)
  expect(ignored.map(({ deposits }) => deposits)).toEqual([24, 6])
  expect(await readIgnoredDeposits(store.url, 1, 5000)).toEqual(expected.slice(0, 1))
})
