/** Tests which swaps and deposits are found for the watcher. */
import { sql } from 'kysely'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { insertOrder, insertOrders } from '../orders/insert-orders.ts'
import { sharedStore } from '../shared-store.fixture.ts'
import { blockOf, closeAnyway, exampleOrder, putOrder, sightingsOf } from '../store.fixture.ts'
import { readCursor, recordPoll } from './events.ts'
import {
  countDepositsOf,
  countWatched,
  findBySecretHash,
  findWatched,
  ID_END,
  listActive,
  listFunded,
  listNewest,
  readDepositEnds,
  readExpected,
  readSolverParties,
  readWatchedEnds,
  type WatchedScope,
} from './watched.ts'

const chain = 'bitcoin_regtest'
const scope = { chain, partialDeposits: true }
const store = sharedStore()
beforeEach(async () => {
  for (const table of ['events', 'blocks', 'swaps', 'orders'] as const) await store.db.deleteFrom(table).execute()
})

const put = async () => (await putOrder(store.db)).order
const end = (id: string) => id.slice(-ID_END)
const ends = (...ids: readonly string[]) => ids.map(end).sort()
async function read(pages: AsyncGenerator<readonly string[]>): Promise<readonly string[]> {
  const found: string[] = []
  for await (const page of pages) found.push(...page)
  return found.sort()
}
const found = async (swapIds: readonly string[], deposits: readonly string[] = [], within: WatchedScope = scope) => {
  const { bySwapId, byDeposit } = await findWatched(store.db, within, { swapIds, deposits })
  return { bySwapId: [...bySwapId.keys()].sort(), byDeposit: [...byDeposit].map(([deposit, { swapId }]) => [deposit, swapId]) }
}
const record = async (events: Parameters<typeof recordPoll>[1]['events'], unconfirmed: typeof events = []) =>
  recordPoll(store.db, { chain, after: await readCursor(store.db, chain), blocks: [blockOf(1n)], events, unconfirmed })
async function closeBefore(id: string, days: number): Promise<void> {
  await closeAnyway(store.db, id)
  const closedAt = new Date(Date.now() - days * 24 * 3600 * 1000)
  await store.db.updateTable('orders').set({ closed_at: closedAt }).where('id', '=', id).execute()
}
const reopen = (id: string) => store.db.updateTable('orders').set({ closed_at: null }).where('id', '=', id).execute()

describe('findWatched', () => {
  test('finds swaps of open orders on this chain by their ids, with their terms', async () => {
    const [one, two] = [await put(), await put()]
    const ids = [one.source.swapId, two.source.swapId, one.destination.swapId, 'unknown']
    expect((await found(ids)).bySwapId).toEqual([one.source.swapId, two.source.swapId].sort())
    const { bySwapId } = await findWatched(store.db, scope, { swapIds: ids, deposits: [] })
    expect(bySwapId.get(one.source.swapId)).toEqual({ swapId: one.source.swapId, terms: one.source.terms })
    expect((await found(ids, [], { chain: 'ethereum_localnet', partialDeposits: true })).bySwapId).toEqual([one.destination.swapId])
  })

  test('with partial deposits also source swaps of orders closed within a year', async () => {
    const [recent, old] = [await put(), await put()]
    await closeBefore(recent.id, 364)
    await closeBefore(old.id, 366)
    const ids = [recent.source.swapId, old.source.swapId]
    expect((await found(ids)).bySwapId).toEqual([recent.source.swapId])
    expect((await found(ids, [], { ...scope, partialDeposits: false })).bySwapId).toEqual([])
    const elsewhere = { chain: 'ethereum_localnet', partialDeposits: true }
    expect((await found([recent.destination.swapId], [], elsewhere)).bySwapId).toEqual([])
    await reopen(old.id)
    expect((await found(ids)).bySwapId).toEqual([...ids].sort())
  })

  test('finds swaps of open orders by their known deposits, mined or not', async () => {
    const [open, closed] = [await put(), await put()]
    const [{ swapId }, other] = [open.source, closed.source.swapId]
    const second = { ...sightingsOf(swapId).initiated(), tx: 'second', deposit: 'second deposit' }
    const spend = { ...sightingsOf(swapId).refunded(), deposit: 'only spent' }
    const events = [swapId, other].map((id) => sightingsOf(id, blockOf(1n)).initiated())
    await record(events, [second, spend])
    await closeAnyway(store.db, closed.id)
    const deposits = [...events.map(({ deposit }) => deposit), 'second deposit', 'only spent', 'unknown']
    expect(await found([], deposits)).toEqual({
      bySwapId: [],
      byDeposit: expect.arrayContaining([
        [`deposit of ${swapId}`, swapId],
        ['second deposit', swapId],
      ]),
    })
    expect((await found([], deposits)).byDeposit).toHaveLength(2)
    await reopen(closed.id)
    expect((await found([], deposits)).byDeposit).toHaveLength(3)
  })

  test('is asked for more ids than fit into one statement', async () => {
    const order = await put()
    await record([sightingsOf(order.source.swapId, blockOf(1n)).initiated()])
    const noise = (more: number) => Array.from({ length: 10_000 + more }, (_, n) => `noise ${n}`)
    const asked = [
      [...noise(0), order.source.swapId],
      [...noise(20_000), `deposit of ${order.source.swapId}`],
    ] as const
    expect(await found(...asked)).toEqual({
      bySwapId: [order.source.swapId],
      byDeposit: [[`deposit of ${order.source.swapId}`, order.source.swapId]],
    })
  })
})

describe('readExpected', () => {
  const expected = (id = chain) => readExpected(store.db, id, null)

  test('says what to expect of a chain', async () => {
    expect(await expected()).toMatchObject({ hasAny: false, hasOpen: false, hasDeposits: false, expectsUnconfirmed: false })
    const order = await put()
    const { swapId } = order.source
    expect(await expected()).toMatchObject({ hasAny: true, hasOpen: true, hasDeposits: false, expectsUnconfirmed: true })
    const deposit = sightingsOf(swapId, blockOf(1n)).initiated()
    await record([deposit])
    expect(await expected()).toMatchObject({ hasOpen: true, hasDeposits: true, expectsUnconfirmed: true })
    await record([], [sightingsOf(swapId).refunded()])
    expect(await expected()).toMatchObject({ expectsUnconfirmed: true })
    await record([sightingsOf(swapId, blockOf(1n)).refunded()])
    expect(await expected()).toMatchObject({ hasOpen: true, hasDeposits: true, expectsUnconfirmed: false })
    await record([{ ...deposit, tx: 'second', deposit: 'second' }])
    expect(await expected()).toMatchObject({ expectsUnconfirmed: true })
    await closeAnyway(store.db, order.id)
    expect(await expected()).toMatchObject({ hasAny: true, hasOpen: false, hasDeposits: false, expectsUnconfirmed: false })
    expect(await expected('litecoin_regtest')).toMatchObject({ hasAny: false, hasOpen: false })
  })

  test('expects everything if very many swaps are open', async () => {
    const orders = Array.from({ length: 101 }, () => ({ input: exampleOrder(), sealed: [] }))
    await insertOrders(store.db, orders)
    expect(await expected()).toMatchObject({ hasDeposits: true, expectsUnconfirmed: true })
    await closeAnyway(store.db, orders[0]?.input.order.id ?? '')
    expect(await expected()).toMatchObject({ hasDeposits: false, expectsUnconfirmed: true })
  })
})

describe('changes', () => {
  const changedSince = async (horizon: bigint) => (await readExpected(store.db, chain, horizon)).changed.toSorted()
  /** Waits, because other transactions on the server may hold the horizon back, and then unchanged rows are read too. */
  const settledHorizon = () =>
    vi.waitFor(
      async () => {
        const { rows } = await sql<{ last: bigint }>`select max(watched_in) as last from swaps`.execute(store.db)
        const { horizon } = await readExpected(store.db, chain, null)
        expect(horizon).toBeGreaterThan(rows[0]?.last ?? 0n)
        return horizon
      },
      { timeout: 150_000, interval: 20 },
    )

  test('are new orders, changed swaps, and orders that were closed or reopened', async () => {
    const [still, changed, closed, opened] = [await put(), await put(), await put(), await put()]
    await closeAnyway(store.db, opened.id)
    const horizon = await settledHorizon()
    expect(await changedSince(horizon)).toEqual([])
    await store.db.updateTable('swaps').set({ swap_id: 'changed' }).where('order_id', '=', changed.id).where('leg', '=', 'source').execute()
    await closeAnyway(store.db, closed.id)
    await reopen(opened.id)
    const made = await put()
    expect(await changedSince(horizon)).toEqual(ends('changed', closed.source.swapId, opened.source.swapId, made.source.swapId))
    expect(await changedSince(horizon)).not.toContain(end(still.source.swapId))
    expect(await changedSince(await settledHorizon())).toEqual([])
  })

  test('bring the deposits of an order that is opened again', async () => {
    const order = await put()
    const deposit = sightingsOf(order.source.swapId, blockOf(1n)).initiated()
    await record([deposit])
    await closeAnyway(store.db, order.id)
    const horizon = await settledHorizon()
    const changedDeposits = async () => (await readExpected(store.db, chain, horizon)).changedDeposits
    expect(await changedDeposits()).toEqual([])
    await reopen(order.id)
    expect(await changedDeposits()).toEqual(ends(deposit.deposit))
  })

  test('include rows written before the horizon and committed after it', async () => {
    const slow = exampleOrder()
    let horizon = 0n
    await store.other.transaction().execute(async (tx) => {
      await insertOrder(tx, slow)
      await put()
      horizon = (await readExpected(store.db, chain, null)).horizon
      await put()
      expect(await changedSince(horizon)).not.toContain(end(slow.order.source.swapId))
    })
    expect(await changedSince(horizon)).toContain(end(slow.order.source.swapId))
  })

  test('ignore transaction numbers of the database that this one was restored from', async () => {
    const order = await put()
    const { horizon } = await readExpected(store.db, chain, null)
    await store.db.transaction().execute(async (tx) => {
      await sql`set local session_replication_role = replica`.execute(tx)
      await sql`update swaps set watched_in = ${(horizon + 1_000_000n).toString()}::bigint where order_id = ${order.id}`.execute(tx)
    })
    expect(await changedSince(horizon)).toEqual([])
    const made = await put()
    expect(await changedSince(horizon)).toEqual(ends(made.source.swapId))
  })
})

describe('the ends of ids', () => {
  test('are those of all watched swaps', async () => {
    const [open, recent, old] = [await put(), await put(), await put()]
    await closeBefore(recent.id, 1)
    await closeBefore(old.id, 366)
    expect(await read(readWatchedEnds(store.db, scope))).toEqual(ends(open.source.swapId, recent.source.swapId))
    expect(await read(readWatchedEnds(store.db, { ...scope, partialDeposits: false }))).toEqual(ends(open.source.swapId))
    expect([await countWatched(store.db, scope), await countWatched(store.db, { ...scope, partialDeposits: false })]).toEqual([3, 1])
  })

  test('are those of the known deposits of open orders', async () => {
    const [open, closed] = [await put(), await put()]
    const ids = [open, closed].map(({ source }) => source.swapId)
    await record(ids.map((id) => sightingsOf(id, blockOf(1n)).initiated()))
    await closeAnyway(store.db, closed.id)
    expect(await read(readDepositEnds(store.db, chain))).toEqual(ends(`deposit of ${open.source.swapId}`))
    expect(await countDepositsOf(store.db, chain)).toBe(1)
  })
})

test('listActive pages through the swaps of open orders, listNewest reads those that changed last, listFunded those of funded orders', async () => {
  const orders = [await put(), await put(), await put(), await put()]
  const [first, closed] = orders
  if (first === undefined || closed === undefined) throw new Error('no orders')
  await record([sightingsOf(first.source.swapId, blockOf(1n)).initiated()])
  await closeAnyway(store.db, closed.id)
  const ids = orders.filter((order) => order !== closed).map(({ source }) => source.swapId)
  const page = await listActive(store.db, chain, 2, null)
  const rest = await listActive(store.db, chain, 2, page.next)
  expect([page.swaps.length, rest.swaps.length, rest.next]).toEqual([2, 1, null])
  expect([...page.swaps, ...rest.swaps].map(({ swapId }) => swapId).sort()).toEqual(ids.toSorted())
  const { source } = first
  const funded = { swapId: source.swapId, terms: source.terms, deposits: [`deposit of ${source.swapId}`] }
  expect([...page.swaps, ...rest.swaps]).toContainEqual(funded)
  expect((await listNewest(store.db, chain, 2)).map(({ swapId }) => swapId)).toEqual([source.swapId, ids.at(-1)])
  expect((await listNewest(store.db, chain, 3))[0]).toEqual(funded)
  expect(await listFunded(store.db, chain, 5)).toEqual([funded])
  // Both legs are listed, because a funded order waits for the payment of its destination.
  expect((await listFunded(store.db, 'ethereum_localnet', 5)).map(({ swapId }) => swapId)).toEqual([first.destination.swapId])
})

test('listActive misses no swap that changes while the pages are read', async () => {
  const orders = [await put(), await put(), await put(), await put()]
  const found: string[] = []
  for (let from: string | null = null, pages = 0; pages < 10; pages += 1) {
    const { swaps, next }: Awaited<ReturnType<typeof listActive>> = await listActive(store.db, chain, 1, from)
    found.push(...swaps.map(({ swapId }) => swapId))
    if (next === null) break
    from = next
    // For example, the refund addresses of these orders become known.
    const missing = orders.filter(({ source }) => !found.includes(source.swapId))
    for (const { id } of missing)
      await store.db
        .updateTable('swaps')
        .set({ user_address: `at page ${pages}` })
        .where('order_id', '=', id)
        .execute()
  }
  expect(new Set(found)).toEqual(new Set(orders.map(({ source }) => source.swapId)))
})

test('findBySecretHash finds the swaps of open orders on this chain', async () => {
  const [one, two, closed] = [await put(), await put(), await put()]
  await closeAnyway(store.db, closed.id)
  const hashes = [one, two, closed].map(({ source }) => source.terms.secretHash)
  const ids = async (asked: readonly string[], on: string = chain) =>
    (await findBySecretHash(store.db, on, asked)).map(({ swapId }) => swapId)
  expect(await ids(hashes)).toEqual([one.source.swapId, two.source.swapId].sort())
  expect(await findBySecretHash(store.db, chain, hashes.slice(0, 1))).toEqual([{ swapId: one.source.swapId, terms: one.source.terms }])
  expect(await ids(hashes.slice(0, 1), 'ethereum_localnet')).toEqual([one.destination.swapId])
  expect([await ids(['00'.repeat(32)]), await ids([])]).toEqual([[], []])
})

test('readSolverParties has the redeemers of open sources and the initiators of open destinations, or only new ones', async () => {
  const [one, two, closed] = [await put(), await put(), await put()]
  await closeAnyway(store.db, closed.id)
  const nameSolver = (id: string, solver: string) =>
    store.db.updateTable('swaps').set({ redeemer: solver }).where('order_id', '=', id).where('leg', '=', 'source').execute()
  await nameSolver(one.id, 'first solver')
  await nameSolver(two.id, 'first solver')
  await nameSolver(closed.id, 'gone')
  expect((await readSolverParties(store.db, chain, null)).parties).toEqual(['first solver'])
  expect((await readSolverParties(store.db, 'ethereum_localnet', null)).parties).toEqual([
    ...new Set([one, two].map(({ destination }) => destination.terms.initiator)),
  ])
  let horizon: bigint | null = null
  // A transaction in another database of the server holds the horizon back.
  await expect
    .poll(async () => {
      horizon = (await readSolverParties(store.db, chain, null)).horizon
      return (await readSolverParties(store.db, chain, horizon)).parties
    })
    .toEqual([])
  await nameSolver((await put()).id, 'second solver')
  expect((await readSolverParties(store.db, chain, horizon)).parties).toEqual(['second solver'])
})
