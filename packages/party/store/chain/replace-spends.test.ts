import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { blockOf, openTestStore, sightingsOf, type TestStore } from '../store.fixture.ts'
import { readEvents, recordPoll } from './events.ts'
import { replaceSpends } from './replace-spends.ts'

const chain = 'bitcoin_regtest'
const block = blockOf(1n)
let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())
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
