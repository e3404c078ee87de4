import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { NOW, openTestStore, type TestStore } from '../store.fixture.ts'
import { hasQuoteCovering, insertQuote, type StoredQuote } from './quotes.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())
beforeEach(() => store.db.deleteFrom('quotes').execute())

const quoted: StoredQuote = {
  id: 'quote',
  source: 'bitcoin_regtest:btc',
  destination: 'ethereum_localnet:wbtc',
  sourceAmount: 1000n,
  destinationAmount: 990n,
  extraFeeBips: 20,
  expiresAt: NOW + 60n,
}
type Asked = Parameters<typeof hasQuoteCovering>[1]

describe('a quote of 1000 for 990 at 20 bips', () => {
  test.each<{ name: string; asked: Partial<Asked>; covered: boolean }>([
    { name: 'the same', asked: {}, covered: true },
    { name: 'less for the same', asked: { destinationAmount: 989n }, covered: true },
    { name: 'the same for more', asked: { sourceAmount: 1001n }, covered: true },
    { name: 'the same with a lower extra fee', asked: { extraFeeBips: 19 }, covered: true },
    { name: 'the same in its last second', asked: { now: NOW + 60n }, covered: true },
    { name: 'more for the same', asked: { destinationAmount: 991n }, covered: false },
    { name: 'the same for less', asked: { sourceAmount: 999n }, covered: false },
    { name: 'the same with a higher extra fee', asked: { extraFeeBips: 21 }, covered: false },
    { name: 'the same too late', asked: { now: NOW + 61n }, covered: false },
    { name: 'another source', asked: { source: 'ethereum_localnet:usdc' }, covered: false },
    { name: 'another destination', asked: { destination: 'arbitrum_localnet:wbtc' }, covered: false },
    { name: 'the reverse direction', asked: { source: quoted.destination, destination: quoted.source }, covered: false },
  ])('covers $name: $covered', async ({ asked, covered }) => {
    await insertQuote(store.db, quoted)
    expect(await hasQuoteCovering(store.db, { ...quoted, now: NOW, ...asked })).toBe(covered)
  })

  test('does not combine with another quote: one quote must cover all of the request', async () => {
    await insertQuote(store.db, quoted)
    await insertQuote(store.db, { ...quoted, id: 'larger', sourceAmount: 2000n, destinationAmount: 1980n })
    expect(await hasQuoteCovering(store.db, { ...quoted, destinationAmount: 1980n, now: NOW })).toBe(false)
  })
})

test('deletes quotes that expired more than an hour ago', async () => {
  await insertQuote(store.db, { ...quoted, id: 'old', expiresAt: NOW - 3601n })
  await insertQuote(store.db, { ...quoted, id: 'recent', expiresAt: NOW - 3599n })
  await insertQuote(store.db, { ...quoted, expiresAt: NOW })
  expect((await store.db.selectFrom('quotes').select('id').orderBy('id').execute()).map((row) => row.id)).toEqual(['quote', 'recent'])
})
