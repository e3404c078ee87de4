import { recordPoll } from '@tandem/party/store/chain/events.ts'
import { blockOf, openTestStore, putOrder, sightingsOf, type TestStore } from '@tandem/party/store/store.fixture.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DoctorContext } from '../doctor-context.ts'
import { deposits } from './deposits.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())

const check = (party: 'service' | 'solver', url = store.url) =>
  deposits.run({
    party,
    path: 'service.json',
    config: { database_url: url },
    readSecret: async (value: string) => value,
  } as unknown as DoctorContext)

test('names each order with deposits that must be refunded by hand, and the command', async () => {
  expect(await check('service')).toMatchObject([{ level: 'ok' }])
  const { order } = await putOrder(store.db)
  const { chain, swapId } = order.source
  const block = blockOf(1n)
  const events = Array.from({ length: 110 }, (_, n) => ({
    ...sightingsOf(swapId, block).initiated(100n),
    tx: `tx ${n}`,
    deposit: `deposit ${n}`,
  }))
  await recordPoll(store.db, { chain, after: null, blocks: [block], events, unconfirmed: [] })
  expect(await check('service')).toEqual([
    {
      level: 'warn',
      about: order.id,
      text: `10 deposits on ${chain}, 1000 in all, are not refunded automatically: the order has too many`,
      advice: expect.stringContaining(`tandem refund --order ${order.id} --config service.json`),
    },
  ])
})

test('says nothing for a solver, or without a database: another check reports that', async () => {
  expect(await check('solver')).toEqual([])
  expect(await check('service', 'postgres://127.0.0.1:1/none')).toEqual([])
})
