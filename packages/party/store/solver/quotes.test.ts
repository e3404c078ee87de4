/** Tests which stored quote covers an order. */
import { beforeEach, describe, expect, test } from 'vitest'
import { sharedStore } from '../shared-store.fixture.ts'
import { statementsOf } from '../statements.fixture.ts'
import { NOW } from '../store.fixture.ts'
import { createQuoteWriter, findCoveringQuote, type StoredQuote, takeQuote } from './quotes.ts'

const store = sharedStore()
beforeEach(() => store.db.deleteFrom('quotes').execute())

const quoted: StoredQuote = {
  id: 'quote',
  source: 'bitcoin_regtest:btc',
  destination: 'ethereum_localnet:wbtc',
  sourceAmount: 1000n,
  destinationAmount: 990n,
  extraFeeBips: 20,
  expiresAt: NOW + 60n,
  app: null,
  clientSecret: false,
}
type Asked = Parameters<typeof findCoveringQuote>[1]

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
    { name: 'an order of another app', asked: { app: 'service/another' }, covered: false },
    { name: 'an order whose secret the client keeps', asked: { clientSecret: true }, covered: false },
    { name: 'another source', asked: { source: 'ethereum_localnet:usdc' }, covered: false },
    { name: 'another destination', asked: { destination: 'arbitrum_localnet:wbtc' }, covered: false },
    { name: 'the reverse direction', asked: { source: quoted.destination, destination: quoted.source }, covered: false },
  ])('covers $name: $covered', async ({ asked, covered }) => {
    await createQuoteWriter(store.db).write(quoted)
    const found = await findCoveringQuote(store.db, { ...quoted, id: null, orderId: 'order', now: NOW, ...asked })
    const isExact = asked.sourceAmount === undefined && asked.extraFeeBips === undefined
    expect(found).toEqual(covered ? { destinationAmount: 990n, isExact } : null)
  })

  test('for an order whose secret the client keeps covers every order', async () => {
    await createQuoteWriter(store.db).write({ ...quoted, clientSecret: true })
    for (const clientSecret of [true, false])
      expect(await findCoveringQuote(store.db, { ...quoted, clientSecret, id: null, orderId: 'order', now: NOW })).not.toBeNull()
  })

  test('does not combine with another quote: one quote must cover all of the request', async () => {
    await createQuoteWriter(store.db).write(quoted)
    await createQuoteWriter(store.db).write({ ...quoted, id: 'larger', sourceAmount: 2000n, destinationAmount: 1980n })
    expect(await findCoveringQuote(store.db, { ...quoted, id: null, orderId: 'order', destinationAmount: 1980n, now: NOW })).toBe(null)
  })

  test('the one for exactly this request counts first, then the nearest; an id picks one', async () => {
    const writer = createQuoteWriter(store.db)
    const find = (asked: Partial<Asked>) =>
      findCoveringQuote(store.db, { ...quoted, id: null, orderId: 'order', destinationAmount: 900n, now: NOW, ...asked }).then(
        (found) => found?.destinationAmount,
      )
    for (const [id, changes] of Object.entries({
      smaller: { sourceAmount: 999n, destinationAmount: 950n },
      dearer: { extraFeeBips: 30, destinationAmount: 960n },
      best: { destinationAmount: 995n },
      quote: {},
    }))
      await writer.write({ ...quoted, id, ...changes })
    expect(await find({})).toBe(990n)
    expect(await find({ destinationAmount: 991n })).toBe(995n)
    expect(await find({ id: 'best' })).toBe(995n)
    // Another quote covers the order, but it is not the named one.
    for (const id of ['smaller', 'dearer', 'unknown']) expect(await find({ id })).toBe(undefined)
    expect(await find({ id: 'quote', destinationAmount: 991n })).toBe(undefined)
  })
})

test('is taken by one order, as often as it asks; concurrent orders take one each', async () => {
  const writer = createQuoteWriter(store.db)
  const ids = Array.from({ length: 8 }, (_, index) => `quote ${index}`)
  for (const id of ids) await writer.write({ ...quoted, id })
  const take = (orderId: string, db = store.db, id: string | null = null) => takeQuote(db, { ...quoted, id, orderId, now: NOW })
  expect([await take('alice'), await take('alice')]).toEqual([true, true])
  const takers = async () => (await store.db.selectFrom('quotes').select('taken_by').where('taken_by', 'is not', null).execute()).length
  expect(await takers()).toBe(1)
  const orders = ids.map((id) => `order with ${id}`)
  const taken = await Promise.all(orders.map((orderId, index) => take(orderId, index % 2 === 0 ? store.db : store.other)))
  // Some may find all free quotes locked at that moment; afterwards they are refused or served.
  for (const orderId of orders.filter((_, index) => !taken[index])) await take(orderId)
  expect(await takers()).toBe(8)
  expect(await take('late')).toBe(false)
  expect(await findCoveringQuote(store.db, { ...quoted, id: null, orderId: 'late', now: NOW })).not.toBe(null)
  await writer.write({ ...quoted, id: 'named' })
  expect([await take('late', store.db, 'named'), await take('later', store.db, 'named')]).toEqual([true, false])
  // Orders that name no quote do not take the quote from the order that names it.
  expect([await take('late', store.db, 'quote 1'), await take('later', store.db, 'quote 1')]).toEqual([true, false])
})

test('deletes quotes that expired more than an hour ago', async () => {
  await createQuoteWriter(store.db).write({ ...quoted, id: 'old', expiresAt: NOW - 3601n })
  await createQuoteWriter(store.db).write({ ...quoted, id: 'recent', expiresAt: NOW - 3599n })
  await createQuoteWriter(store.db).write({ ...quoted, expiresAt: NOW })
  expect((await store.db.selectFrom('quotes').select('id').orderBy('id').execute()).map((row) => row.id)).toEqual(['quote', 'recent'])
})

test('deletes expired quotes at most once a minute', async () => {
  const writer = createQuoteWriter(store.db)
  const ids = async () => (await store.db.selectFrom('quotes').select('id').orderBy('id').execute()).map((row) => row.id)
  await writer.write({ ...quoted, id: 'a', expiresAt: NOW })
  await writer.write({ ...quoted, id: 'b', expiresAt: NOW - 3601n })
  await writer.write({ ...quoted, id: 'c', expiresAt: NOW + 59n })
  expect(await ids()).toEqual(['a', 'b', 'c'])
  await writer.write({ ...quoted, id: 'd', expiresAt: NOW + 60n })
  expect(await ids()).toEqual(['a', 'c', 'd'])
})

test('quotes of the same moment share statements, and each is stored', async () => {
  const writer = createQuoteWriter(store.db)
  await writer.write(quoted)
  const ids = Array.from({ length: 30 }, (_, index) => `quote ${index}`)
  const statements = await statementsOf(() => Promise.all(ids.map((id) => writer.write({ ...quoted, id }))))
  expect(statements.length).toBeLessThanOrEqual(3)
  expect(await store.db.selectFrom('quotes').select('id').where('id', 'in', ids).execute()).toHaveLength(30)
})
