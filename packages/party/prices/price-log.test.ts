import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPricesSince } from '../store/prices/price-records.ts'
import { statementsOf } from '../store/statements.fixture.ts'
import { openTestStore, type TestStore } from '../store/store.fixture.ts'
import type { MarketView } from './feed.ts'
import { createPriceLog } from './price-log.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())

const START = 1_700_000_040_000
const view = (price: bigint | null, problem: string | null): MarketView => ({
  market: 'BTC',
  assets: ['a:btc'],
  price,
  problem,
  readings: [{ source: 'one', price, ageSeconds: 0, problem }],
})

test('says when a price goes and comes, once each, and records one a minute', async () => {
  const lines: string[] = []
  const say = (...words: unknown[]) => void lines.push(String(words[1]))
  let now = START
  const log = createPriceLog(store.db, { warn: say, info: say }, () => now)
  const statements = await statementsOf(async () => {
    log.note([view(5n, null)])
    expect(lines).toEqual([])
    log.note([view(null, 'its price is 61 s old')])
    log.note([view(null, 'its price is 62 s old')])
    await log.stop()
  })
  expect(statements.filter((text) => text.includes('insert into price_records'))).toHaveLength(1)
  expect(lines).toEqual(['a source of prices does not count', 'no price: no swap of this market starts'])
  now += 60_000
  log.note([view(6n, null)])
  expect(lines.slice(2)).toEqual(['the source of prices works again', 'there is a price again'])
  await log.stop()
  expect((await readPricesSince(store.db, 0)).map(({ price }) => price)).toEqual([5n, 6n])
})

test('a database that fails stops nothing', async () => {
  const lines: string[] = []
  const failing = store.db.withPlugin({
    transformQuery: () => {
      throw new Error('down')
    },
    transformResult: async ({ result }) => result,
  })
  const say = (...words: unknown[]) => void lines.push(String(words[1]))
  const log = createPriceLog(failing, { warn: say, info: say }, () => START)
  log.note([view(5n, null)])
  await log.stop()
  expect(lines).toEqual(['prices could not be recorded'])
})
