/** Tests which recorded deposits count, and how wrong spends are corrected. */
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { Order } from '@tandem/protocol/order.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { recordOwnFill } from '../orders/fills.ts'
import { sharedStore } from '../shared-store.fixture.ts'
import { blockOf, closeAnyway, putOrder, sightingsOf } from '../store.fixture.ts'
import { readConsideredEvents } from './considered-events.ts'
import { readCountedDeposits, withoutBlock } from './counted-deposits.ts'
import { readCursor, readEvents, recordPoll, rewind } from './events.ts'
import { readIgnoredDeposits } from './ignored-deposits.ts'
import { replaceSpends } from './replace-spends.ts'

const store = sharedStore()
let order: Order
let deposit: HtlcEvent
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

describe('ignored deposits', () => {
  const store = sharedStore()

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
})

describe('replace spends', () => {
  const chain = 'bitcoin_regtest'
  const block = blockOf(1n)
  const store = sharedStore()
  beforeEach(async () => {
    for (const table of ['events', 'blocks'] as const) await store.db.deleteFrom(table).execute()
  })

  const refund = (paid?: bigint) => ({ ...sightingsOf('s', block).refunded(), ...(paid !== undefined && { paid }) }) as HtlcEvent
  const record = (event: HtlcEvent) => recordPoll(store.db, { chain, after: null, blocks: [block], events: [event], unconfirmed: [] })
  const replace = (event: HtlcEvent) =>
    replaceSpends(store.db, { chain, swapId: 's', orderId: 'none', from: 1n, to: block, spends: [event], secret: null })
  const onRecord = async () => (await readEvents(store.db, [{ chain, swapId: 's' }])).get(`${chain} s`)

  test('another amount than the chain shows to be paid out is put right', async () => {
    await record(refund(999n))
    expect(await replace(refund(97n))).toBe(true)
    expect(await onRecord()).toEqual([refund(97n)])
  })

  test('a row that only lacks what was paid out is not wrong', async () => {
    await record(refund())
    expect(await replace(refund(97n))).toBe(false)
  })
})
