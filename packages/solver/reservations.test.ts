/** Tests how long inventory stays reserved for an order. */
import { environments } from '@tandem/families/registry.ts'
import type { FreshPolls } from '@tandem/party/engine/chain-watcher.ts'
import { factsOf } from '@tandem/party/engine/facts.ts'
import { readCursor, recordPoll, rewind } from '@tandem/party/store/chain/events.ts'
import { recordDecline } from '@tandem/party/store/orders/fills.ts'
import { addInstantRefunds } from '@tandem/party/store/orders/grants.ts'
import { findOrder, findOrderSnapshots } from '@tandem/party/store/orders/orders.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { keepInventoryMarks } from '@tandem/party/store/solver/inventory-marks.ts'
import { statementsOf } from '@tandem/party/store/statements.fixture.ts'
import { blockOf, closeAnyway, openTestStore, putOrder, sightingsOf } from '@tandem/party/store/store.fixture.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import { MAX_COUNTED } from '@tandem/protocol/counting.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { Order } from '@tandem/protocol/order.ts'
import { deriveOrder, type OrderState } from '@tandem/protocol/state.ts'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createReservations, reservationKind } from './reservations.ts'
import { acceptedOrder, fillFor, openSolver, type TestSolver, wbtc } from './solver.fixture.ts'

const store = sharedStore()
let solver: TestSolver
beforeAll(async () => {
  await keepInventoryMarks(store.db)
})
beforeEach(async () => {
  const opened = await openSolver(store)
  const polls = new Map(['bitcoin_regtest', 'ethereum_localnet'].map((chain) => [chain, pollsOf(chain)]))
  solver = { ...opened, context: { ...opened.context, polls } }
  seen = []
  await store.db.deleteFrom('inventory_marks').execute()
})

/** Acts as the watcher of this process that has just read what is recorded. */
const pollsOf = (chain: string): FreshPolls => ({
  tookMs: 0,
  seen: (swapId) => seen.filter((event) => event.swapId === swapId),
  async fresh() {
    const tip = await readCursor(store.db, chain)
    return tip === null ? null : { tip, beganAtMs: performance.now() }
  },
})
let seen: HtlcEvent[] = []

const openReservations = (db = store.db) => createReservations({ db, registry: solver.context.registry, now: solver.context.now })
const all = ['firm', 'expected'] as const

const agree = () => acceptedOrder(solver)

async function poll(chain: string, events: (block: Block) => readonly HtlcEvent[], unconfirmed: readonly HtlcEvent[] = []): Promise<void> {
  const after = await readCursor(store.db, chain)
  const { height } = after ?? { height: 0n }
  const block = { ...blockOf(height + 1n, `${chain} ${branch} `), parentHash: after?.hash ?? '' }
  const mined = events(block)
  seen.push(...mined)
  await recordPoll(store.db, { chain, after, blocks: [block], events: mined, unconfirmed })
}
let branch = 0

const deposit = (swap: Order['source'], amount: bigint, tx: string, block: Block | null): HtlcEvent => ({
  ...sightingsOf(swap.swapId, block).initiated(amount),
  tx,
  deposit: tx,
})
const marks = async () => (await store.db.selectFrom('inventory_marks').selectAll().execute()).length

async function stateOf({ id }: Order): Promise<OrderState> {
  const [snapshot] = await findOrderSnapshots(store.db, [id])
  if (snapshot === undefined) throw new Error(`there is no order ${id}`)
  return deriveOrder(factsOf(solver.context.registry, snapshot, solver.world.now))
}

async function expectedSum(kinds: readonly string[]): Promise<bigint> {
  const { rows } = await sql<{ id: string }>`select id from orders where closed_at is null`.execute(store.db)
  const snapshots = await findOrderSnapshots(
    store.db,
    rows.map(({ id }) => id),
  )
  const granted = new Set((await store.db.selectFrom('reservations').select('order_id').execute()).map((row) => row.order_id))
  return snapshots
    .map((snapshot) => deriveOrder(factsOf(solver.context.registry, snapshot, solver.world.now)))
    .filter((state) => kinds.includes(reservationKind(state, granted.has(state.order.id)) ?? 'none'))
    .reduce((sum, { order }) => sum + order.destination.terms.amount, 0n)
}

test('dust and unfunded orders leave no mark', async () => {
  const [dusted] = [await agree(), await agree()]
  await poll('bitcoin_regtest', (block) => Array.from({ length: 50 }, (_, n) => deposit(dusted.source, 600n, `dust ${n}`, block)))
  expect(await marks()).toBe(0)
})

test('marks of orders that reserve nothing any more are deleted, and of the others all but one', async () => {
  const [paid, waiting] = [await agree(), await agree()]
  await poll('ethereum_localnet', () => [])
  for (const tx of ['one', 'two'])
    await poll('bitcoin_regtest', (block) => [paid, waiting].map((order) => deposit(order.source, 200_000n, `${tx} ${order.id}`, block)))
  await poll('ethereum_localnet', (block) => [deposit(paid.destination, paid.destination.terms.amount, 'payment', block)])
  await openReservations().read(all)
  expect(await store.db.selectFrom('inventory_marks').select('order_id').execute()).toEqual([{ order_id: waiting.id }])
})

describe('what is reserved for an order with a deposit', () => {
  let reservations: ReturnType<typeof openReservations>
  const reading = async () => (await statementsOf(() => reservations.read(all))).filter((text) => !text.startsWith('set '))
  const derivations = async () => (await reading()).filter((text) => text.includes('o.id = any')).length
  beforeEach(async () => {
    const order = await agree()
    await poll('ethereum_localnet', () => [])
    await poll('bitcoin_regtest', (block) => [deposit(order.source, 1_000_000n, 'deposit', block)])
    reservations = openReservations()
    expect((await reservations.read(all)).get(wbtc)).toBe(980_000n)
  })

  test('is derived again for new blocks, at most once a second', async () => {
    await poll('bitcoin_regtest', () => [])
    expect(await derivations()).toBe(0)
    solver.world.now += 1n
    expect(await derivations()).toBe(1)
    expect(await derivations()).toBe(0)
  })

  test('is derived again at once when something is recorded about it, and its marks are deleted once a second', async () => {
    const order = await agree()
    await poll('bitcoin_regtest', (block) => [deposit(order.source, 1_000_000n, 'another', block)])
    await poll('bitcoin_regtest', (block) => [deposit(order.source, 1_000n, 'dust', block)])
    const statements = await reading()
    expect(statements.filter((text) => text.includes('o.id = any'))).toHaveLength(1)
    expect(statements.filter((text) => text.includes('delete from inventory_marks'))).toHaveLength(0)
    expect(await derivations()).toBe(0)
    expect((await reservations.read(all)).get(wbtc)).toBe(1_960_000n)
  })
})

test('a mark that is written while orders are derived stays', async () => {
  const order = await agree()
  await poll('ethereum_localnet', () => [])
  await poll('bitcoin_regtest', (block) => [deposit(order.source, 1_000_000n, 'deposit', block)])
  const reservations = openReservations()
  await recordDecline(store.db, order.id, 'no')
  const before = await marks()
  await Promise.all([reservations.read(all), fillFor(solver, order, ['deposit']), openReservations(store.other).read(all)])
  expect(before).toBeGreaterThan(0)
  expect((await reservations.read(all)).get(wbtc) ?? 0n).toBe(await expectedSum(all))
})

test('a promise stays reserved while a chain makes no block: it is paid for when the chain is back', async () => {
  const order = await agree()
  await poll('ethereum_localnet', () => [])
  await poll('bitcoin_regtest', (block) => [deposit(order.source, 1_000_000n, 'deposit', block)])
  expect(await fillFor(solver, order, ['deposit'])).toMatchObject({ answer: 'signed' })
  solver.world.now += solver.context.registry.chain('ethereum_localnet').haltSeconds + 60n
  const after = await readCursor(store.db, 'bitcoin_regtest')
  const block = { height: (after?.height ?? 0n) + 1n, hash: 'recent', parentHash: after?.hash ?? '', time: solver.world.now }
  await recordPoll(store.db, { chain: 'bitcoin_regtest', after, blocks: [block], events: [], unconfirmed: [] })
  const state = await stateOf(order)
  expect([state.chainsAlive, state.gapSeconds > 0n]).toEqual([false, true])
  expect((await openReservations().read(['firm'])).get(wbtc)).toBe(980_000n)
})

test('all who ask while reservations are read share the next read, which sees what was recorded before they asked', async () => {
  const order = await agree()
  await poll('ethereum_localnet', () => [])
  const now = vi.fn(solver.context.now)
  const reservations = createReservations({ db: store.db, registry: solver.context.registry, now })
  const first = reservations.read(all)
  await vi.waitFor(() => expect(now).toHaveBeenCalledTimes(1), { timeout: 60_000 })
  await poll('bitcoin_regtest', (block) => [deposit(order.source, 1_000_000n, 'deposit', block)])
  const later = await Promise.all([reservations.read(all), reservations.read(['firm']), reservations.read(all)])
  await first
  expect(now).toHaveBeenCalledTimes(2)
  expect(later.map((sums) => sums.get(wbtc))).toEqual([980_000n, undefined, 980_000n])
})

test('a failed read fails for those who share it, and the next one works', async () => {
  const now = vi.fn(solver.context.now)
  const reservations = createReservations({ db: store.db, registry: solver.context.registry, now })
  now.mockImplementationOnce(() => {
    throw new Error('no clock')
  })
  const failed = await Promise.allSettled([reservations.read(all), reservations.read(all)])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await reservations.read(all)).toEqual(new Map())
})

test('a promise of one process is reserved for another at once', async () => {
  const order = await agree()
  await poll('ethereum_localnet', () => [])
  await poll('bitcoin_regtest', (block) => [deposit(order.source, 1_000_000n, 'deposit', block)])
  const other = openReservations(store.other)
  expect((await other.read(['firm'])).get(wbtc)).toBeUndefined()
  expect((await other.read(all)).get(wbtc)).toBe(980_000n)
  expect(await fillFor(solver, order, ['deposit'])).toMatchObject({ answer: 'signed' })
  expect((await other.read(['firm'])).get(wbtc)).toBe(980_000n)
})

describe('after any history, two processes reserve what all orders together reserve', () => {
  test.each(Array.from({ length: 4 }, (_, seed) => seed + 1))('seed %i', { timeout: 600_000 }, async (seed) => {
    const next = randomFrom(seed)
    const pick = <T>(values: readonly T[]): T => values[next() % values.length] as T
    const orders = await Promise.all(Array.from({ length: 6 }, agree))
    const [one, two] = [openReservations(), openReservations(store.other)]
    await poll('ethereum_localnet', () => [])
    await poll('bitcoin_regtest', () => [])
    let sent = 0
    const fundOne = () => {
      const amount = pick([600n, 500_000n, 980_000n, 1_000_000n, 1_000_000n])
      sent += 1
      return poll('bitcoin_regtest', (block) => [deposit(pick(orders).source, amount, `tx ${sent}`, block)])
    }
    const steps: readonly (() => Promise<unknown>)[] = [
      () => poll(pick(['bitcoin_regtest', 'ethereum_localnet']), () => []),
      fundOne,
      () => poll('bitcoin_regtest', () => [], [deposit(pick(orders).source, pick([600n, 1_000_000n]), `unmined ${next() % 3}`, null)]),
      async () => {
        const order = (await findOrder(store.db, pick(orders).id))?.order
        if (order === undefined) return
        const { swapId, terms } = order.destination
        await poll('ethereum_localnet', (block) => [
          { ...deposit(order.destination, terms.amount, `payment ${swapId}`, block), index: `log:${order.id}` },
        ])
      },
      async () => {
        const [event] = await store.db
          .selectFrom('events')
          .selectAll()
          .where('kind', '=', 'initiated')
          .where('block_height', 'is not', null)
          .orderBy(sql`md5(tx || ${seed})`)
          .limit(1)
          .execute()
        if (event === undefined) return
        const kind = pick(['redeemed', 'refunded'] as const)
        await poll(event.chain, (block) => [
          { ...sightingsOf(event.swap_id, block).refunded(), tx: `spend ${event.tx}`, deposit: event.deposit, kind } as HtlcEvent,
        ])
      },
      async () => {
        const chain = pick(['bitcoin_regtest', 'ethereum_localnet'])
        const [ancestor] = (
          await store.db.selectFrom('blocks').selectAll().where('chain', '=', chain).orderBy('height', 'desc').execute()
        ).slice(1 + (next() % 2))
        if (ancestor === undefined) return
        branch += 1
        await rewind(store.db, chain, { ...ancestor, parentHash: ancestor.parent_hash, ordinal: undefined } as unknown as Block)
        seen = seen.filter(({ block }) => block?.hash.startsWith(chain) !== true || block.height <= ancestor.height)
      },
      async () => {
        if (next() % 4 === 0) await recordDecline(store.db, pick(orders).id, 'no')
      },
      async () => {
        const state = await stateOf(pick(orders))
        if (reservationKind(state, false) !== 'expected' || state.source.filledAmount !== state.order.source.terms.amount) return
        await fillFor(
          solver,
          state.order,
          state.source.counted.map((d) => d.id),
        )
      },
      async () => {
        // The reconciler closes no order that still wants an action.
        const state = await stateOf(pick(orders))
        if (reservationKind(state, true) === null) await closeAnyway(store.db, state.order.id)
      },
      async () => {
        const { id } = pick(orders)
        if (next() % 4 === 0)
          await store.db
            .transaction()
            .execute((tx) => addInstantRefunds(tx, id, [{ deposit: 'none', amount: 1n, to: 'user', pays: 1n, signature: 's' }]))
      },
      async () => {
        solver.world.now += BigInt(next() % 40)
      },
    ]
    let reserved = 0
    for (let n = 0; n < 50; n += 1) {
      // Deposits are frequent, because most other steps need one.
      await pick([...steps, fundOne, fundOne, fundOne])()
      const atOnce = (await one.read(all)).get(wbtc) ?? 0n
      expect(atOnce, `step ${n}, before the next second`).toBeGreaterThanOrEqual(await expectedSum(all))
      solver.world.now += 1n
      for (const kinds of [['firm'], all] as const) {
        const expected = await expectedSum(kinds)
        reserved += expected > 0n ? 1 : 0
        for (const reservations of n % 3 === 0 ? [one, two] : [one])
          expect((await reservations.read(kinds)).get(wbtc) ?? 0n, `step ${n}`).toBe(expected)
      }
    }
    expect(reserved).toBeGreaterThan(0)
  })
})

test('deposits that count include one of at least a sixth of the amount, on every chain', () => {
  const tolerances = Object.values(environments).flatMap(({ chains }) =>
    chains.flatMap(({ deposits }) => (deposits.kind === 'partial' ? [deposits.toleranceBips] : [])),
  )
  expect(tolerances.length).toBeGreaterThan(0)
  for (const toleranceBips of tolerances) expect((10_000 - toleranceBips) * 6).toBeGreaterThanOrEqual(10_000 * MAX_COUNTED)
})

function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 8
  }
}

test('a deposit that was recorded before the first question counts; before it, events are not marked', async () => {
  const fresh = await openTestStore()
  try {
    const triggers = async () =>
      (await sql`select from pg_trigger where tgname like '%mark' and not tgisinternal`.execute(fresh.db)).rows.length
    expect(await triggers()).toBe(0)
    const { order } = await putOrder(fresh.db)
    const block = blockOf(1n)
    const events = [sightingsOf(order.source.swapId, block).initiated()]
    await recordPoll(fresh.db, { chain: order.source.chain, after: null, blocks: [block], events, unconfirmed: [] })
    const marked = async () => (await fresh.db.selectFrom('inventory_marks').select('order_id').execute()).map((row) => row.order_id)
    expect(await marked()).toEqual([])
    await Promise.all([keepInventoryMarks(fresh.db), keepInventoryMarks(fresh.other)])
    expect(await marked()).toEqual([order.id])
    expect(await triggers()).toBe(7)
  } finally {
    await fresh.close()
  }
})
