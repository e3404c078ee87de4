/** Tests which prices are recorded and for how long. */
import { expect, test } from 'vitest'
import { sharedStore } from '../shared-store.fixture.ts'
import { type PriceRecord, readPricesSince, recordPrices } from './price-records.ts'

const store = sharedStore()

const MINUTE = 60_000
const START = 1_700_000_040_000
const record = (market: string, price: bigint | null): PriceRecord => ({
  market,
  price,
  problem: price === null ? 'nobody "knows"' : null,
  readings: [{ source: 'one', price: price?.toString() ?? null, problem: null }],
})

test('a market has one row a minute, also with two processes; a missing price is recorded and not read', async () => {
  await recordPrices(store.db, START + 5, [record('BTC', 10n ** 20n), record('ETH', null)])
  await recordPrices(store.other, START + 59_999, [record('BTC', 7n)])
  await recordPrices(store.db, START + MINUTE, [record('BTC', 8n)])
  expect(await readPricesSince(store.db, START)).toEqual([
    { market: 'BTC', at: START, price: 10n ** 20n },
    { market: 'BTC', at: START + MINUTE, price: 8n },
  ])
  expect(await readPricesSince(store.db, START + 1)).toHaveLength(1)
  const rows = await store.db.selectFrom('price_records').selectAll().where('market', '=', 'ETH').execute()
  expect(rows).toEqual([
    {
      market: 'ETH',
      at: new Date(START),
      price: null,
      problem: 'nobody "knows"',
      readings: [{ source: 'one', price: null, problem: null }],
    },
  ])
})

test('a week is kept', async () => {
  const week = 7 * 86_400_000
  await recordPrices(store.db, START + week, [record('BTC', 9n)])
  expect((await readPricesSince(store.db, 0)).map(({ price }) => price)).toEqual([10n ** 20n, 8n, 9n])
  await recordPrices(store.db, START + week + MINUTE, [])
  expect((await readPricesSince(store.db, 0)).map(({ price }) => price)).toEqual([8n, 9n])
})
