/** Tests what marks an order as dirty, and how marked orders are derived. */
import { signedGrant } from '@tandem/protocol/grants.fixture.ts'
import type { Order } from '@tandem/protocol/order.ts'
import { sql } from 'kysely'
import pg from 'pg'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { type LeasedAction, leaseAction, syncWanted } from '../actions/actions.ts'
import { finishAction } from '../actions/finish-action.ts'

import { markRefused } from '../actions/refused-attempts.ts'
import { recordPoll, rewind } from '../chain/events.ts'
import type { Database } from '../database/database.ts'
import { sharedStore } from '../shared-store.fixture.ts'
import { blockOf, closeAnyway, deriveTouched, NOW, putOrder, recordAttempt, sightingsOf } from '../store.fixture.ts'
import { changeRefundAddress, lockRefundAddress } from './change-refund-address.ts'
import { dropProposal, recordDecline, recordProposal, recordSignature } from './fills.ts'
import { addGrant, addInstantRefunds } from './grants.ts'
import { findOrderSnapshots, markSecretSigned, setRefundAddress } from './orders.ts'
import { recordPrefund } from './prefunds.ts'
import { deriveOrders, SHARDS, type StoredRange, type TakeQuery, touchOrders } from './touched-orders.ts'

const store = sharedStore()
let order: Order
beforeEach(async () => {
  for (const table of [
    'attempts',
    'actions',
    'fills',
    'grants',
    'prefunds',
    'events',
    'blocks',
    'swaps',
    'orders',
    'order_clocks',
  ] as const)
    await store.db.deleteFrom(table).execute()
  order = (await putOrder(store.db)).order
  await putOrder(store.db)
  await forget()
})

const shards = Array.from({ length: SHARDS }, (_, shard) => shard)
const read = () => store.db.selectFrom('touched_orders').selectAll().execute()
const touched = async () => [...new Set((await read()).map(({ order_id }) => order_id))]
const forget = () => store.db.deleteFrom('touched_orders').execute()

const poll = (height: bigint, events: Parameters<typeof recordPoll>[1]['events'] = [], after: bigint | null = null) =>
  recordPoll(store.db, {
    chain: order.source.chain,
    after: after === null ? null : blockOf(after),
    blocks: [blockOf(height)],
    events,
    unconfirmed: [],
  })
const deposit = (height: bigint) => sightingsOf(order.source.swapId, blockOf(height)).initiated()
const fill = { deposits: ['a'], blockHash: 'hash', destinationAmount: 5n }
const destination = { amount: 5n, swapId: 'another id' }

const attempt = { tx: 't', raw: '', slots: [], feeRate: 1n, at: NOW, chain: 'c', sender: 's', holdsSecret: false }
async function leased(): Promise<LeasedAction> {
  await sql`update actions set lease_until = null, due_at = now()`.execute(store.db)
  const action = await leaseAction(store.db, 'me', 60)
  if (action === null) throw new Error('nothing to lease')
  return action
}
async function attempted(holdsSecret: boolean): Promise<void> {
  await markSecretSigned(store.db, order.id)
  await syncWanted(store.db, [order.id], [{ orderId: order.id, leg: 'destination', verb: 'redeem' }])
  await recordAttempt(store.db, [await leased()], { ...attempt, holdsSecret })
}

describe('an order is touched by', () => {
  test.each<{ name: string; before?: () => Promise<unknown>; change: () => Promise<unknown> }>([
    { name: 'an event in a block', change: () => poll(1n, [deposit(1n)]) },
    {
      name: 'an unconfirmed event',
      change: () =>
        recordPoll(store.db, {
          chain: order.source.chain,
          after: null,
          blocks: [],
          events: [],
          unconfirmed: [sightingsOf(order.source.swapId).initiated()],
        }),
    },
    {
      name: 'a reorg that removes its event',
      before: () => poll(1n, [deposit(1n)]),
      change: () => rewind(store.db, order.source.chain, blockOf(0n)),
    },
    { name: 'the secret on a chain', change: () => poll(1n, [sightingsOf(order.source.swapId, blockOf(1n)).redeemed('ab')]) },
    { name: 'a grant', change: () => addGrant(store.db, order.id, signedGrant('s')) },
    { name: 'a signed instant refund', change: () => store.db.transaction().execute((tx) => addInstantRefunds(tx, order.id, [])) },
    { name: 'a proposed fill', change: () => recordProposal(store.db, order.id, fill, destination) },
    {
      name: "the solver's signature of a fill",
      before: () => recordProposal(store.db, order.id, fill, destination),
      change: () => recordSignature(store.db, order.id, fill, 's'),
    },
    {
      name: 'a dropped proposal',
      before: () => recordProposal(store.db, order.id, fill, destination),
      change: () => dropProposal(store.db, order.id),
    },
    { name: 'a refusal of the solver', change: () => recordDecline(store.db, order.id, 'no') },
    { name: 'a prefunded amount', change: () => recordPrefund(store.db, order.id, { amount: 1n, seenAt: new Date() }) },
    { name: 'a refund address', change: () => setRefundAddress(store.db, order.id, 'there', 'seal') },
    {
      name: 'another refund address',
      before: () => setRefundAddress(store.db, order.id, 'there', 'seal'),
      change: () =>
        store.db.transaction().execute(async (tx) => {
          await lockRefundAddress(tx, order.id)
          await changeRefundAddress(tx, order.id, 'elsewhere', 'seal')
        }),
    },
    { name: 'a secret that was signed', change: () => markSecretSigned(store.db, order.id) },
    {
      name: 'another attempt with the secret',
      before: () => attempted(false),
      change: async () => recordAttempt(store.db, [await leased()], { ...attempt, tx: 'other', holdsSecret: true }),
    },
    {
      name: 'an attempt that every node refused',
      before: () => attempted(true),
      change: async () => markRefused(store.db, await leased(), ['t']),
    },
    {
      name: 'being reopened',
      before: () => closeAnyway(store.db, order.id),
      change: () => store.db.updateTable('orders').set({ closed_at: null }).execute(),
    },
    {
      name: 'a transaction that was cancelled',
      async before() {
        await syncWanted(store.db, [order.id], [{ orderId: order.id, leg: 'destination', verb: 'initiate' }])
        const action = await leased()
        await recordAttempt(store.db, [action], attempt)
        await syncWanted(store.db, [order.id], [])
        await finishAction(store.db, action, { kind: 'skipped', againInMs: 0 })
      },
      async change() {
        await finishAction(store.db, await leased(), { kind: 'cancelled' })
      },
    },
  ])('$name', async ({ before, change }) => {
    await before?.()
    await forget()
    await change()
    expect(await touched()).toEqual([order.id])
  })

  test.each<{ name: string; change: () => Promise<unknown> }>([
    { name: 'being made', change: () => putOrder(store.db) },
    { name: 'a block without events', change: () => poll(1n) },
    { name: 'being closed', change: () => closeAnyway(store.db, order.id) },
    {
      name: 'an action that becomes wanted',
      change: () => syncWanted(store.db, [order.id], [{ orderId: order.id, leg: 'source', verb: 'refund' }]),
    },
  ])('but not by $name', async ({ change }) => {
    await change()
    expect(await touched()).toEqual([])
  })

  test('each event of many once per statement', async () => {
    const rows = Array.from({ length: 100 }, (_, n) => ({
      chain: order.source.chain,
      tx: `${n}`,
      index: '0',
      swap_id: order.source.swapId,
      kind: 'initiated' as const,
      deposit: `${n}`,
      amount: 1n,
    }))
    await store.db.insertInto('events').values(rows).execute()
    expect(await read()).toHaveLength(1)
  })
})

const nothing = { orderIds: [], wanted: [], confirmed: new Set<string>(), statuses: [], ranges: [] }
const onlyTouched = { chains: [], untagged: 0n, now: 0n, nowMs: 0n, shards: [], limit: 10 }

describe('deriveOrders', () => {
  beforeEach(() => touchOrders(store.db, [order.id]))

  test('leaves a mark that is written while the orders are derived', async () => {
    await deriveOrders(store.db, onlyTouched, async (_, orderIds) => {
      expect(orderIds).toEqual([order.id])
      await touchOrders(store.other, [order.id])
      return nothing
    })
    expect(await read()).toHaveLength(1)
    expect(await deriveTouched(store.db)).toEqual([order.id])
    expect(await read()).toEqual([])
  })

  test('takes what is touched in three messages, and nothing in two', async () => {
    const messages = vi.spyOn(pg.Client.prototype, 'query')
    const derive = vi.fn(async (connection: Database, orderIds: readonly string[]) => {
      expect(await findOrderSnapshots(connection, orderIds)).toHaveLength(1)
      return nothing
    })
    await deriveOrders(store.db, onlyTouched, derive)
    expect(messages).toHaveBeenCalledTimes(3)
    messages.mockClear()
    expect(await deriveOrders(store.db, onlyTouched, derive)).toMatchObject({ orderIds: [], isFull: false, newlyWanted: false })
    expect(messages).toHaveBeenCalledTimes(2)
    expect(derive).toHaveBeenCalledTimes(1)
    messages.mockRestore()
  })

  test('leaves everything as it was if deriving or writing fails, and its connection is used again', async () => {
    const failing = async () => {
      throw new Error('not now')
    }
    await expect(deriveOrders(store.db, onlyTouched, failing)).rejects.toThrow('not now')
    const wanted = [{ orderId: 'nobody', leg: 'source', verb: 'refund' }] as const
    const orderIds = ['nobody']
    const ranges = [{ orderId: order.id, clock: 'now', since: null, until: 1n }] as const
    await expect(deriveOrders(store.db, onlyTouched, async () => ({ ...nothing, orderIds, wanted, ranges }))).rejects.toThrow(
      'violates not-null constraint',
    )
    expect(await touched()).toEqual([order.id])
    expect(await store.db.selectFrom('order_clocks').selectAll().execute()).toEqual([])
    const { rows } = await sql<{ open: bigint }>`
      select count(*) as open from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`.execute(
      store.db,
    )
    expect(rows).toEqual([{ open: 0n }])
  })

  test('takes no order twice, and says that there may be more', async () => {
    const other = (await putOrder(store.db)).order
    await touchOrders(store.db, [other.id])
    const one = { ...onlyTouched, limit: 1 }
    const taken: (readonly string[])[] = []
    const first = await deriveOrders(store.db, one, async (_, orderIds) => {
      const second = await deriveOrders(store.other, one, async (__, others) => {
        taken.push(orderIds, others)
        return nothing
      })
      expect(second).toMatchObject({ isFull: true })
      return nothing
    })
    expect(first).toMatchObject({ isFull: true })
    expect(taken).toEqual([[order.id], [other.id]])
    expect(await deriveOrders(store.db, one, async () => nothing)).toMatchObject({ orderIds: [], isFull: false })
  })

  test('leaves marks that are newer than asked for', async () => {
    const take = (upToMark: bigint) => deriveOrders(store.db, { ...onlyTouched, upToMark }, async () => nothing)
    const { orderIds, newestMark } = await take(0n)
    expect(orderIds).toEqual([])
    const other = (await putOrder(store.db)).order
    await touchOrders(store.db, [other.id])
    expect(await take(newestMark)).toMatchObject({ orderIds: [order.id] })
    expect(await touched()).toEqual([other.id])
  })

  test('writes only ranges that differ', async () => {
    const ranges = [
      { orderId: order.id, clock: 'now', since: 1n, until: 2n },
      { orderId: order.id, clock: 'recheck', since: null, until: 5n },
    ] as const
    const rows = () => sql`select xmin, clock, since, until from order_clocks order by clock`.execute(store.db)
    await deriveTouched(store.db, ranges)
    const before = await rows()
    expect(before.rows).toMatchObject(ranges.map(({ clock, since, until }) => ({ clock, since, until })))
    await touchOrders(store.db, [order.id])
    await deriveTouched(store.db, ranges)
    expect(await rows()).toEqual(before)
  })
})

describe('an order is due', () => {
  const chain = 'bitcoin_regtest'
  const undo = new Error('only looking')
  const due = async (differently: Partial<TakeQuery> = {}) => {
    const query = { chains: [chain], untagged: 1_000n, now: 100n, nowMs: 100_000n, shards, limit: 10, ...differently }
    let taken: readonly string[] = []
    const looking = deriveOrders(store.db, query, async (_, orderIds) => {
      taken = orderIds
      throw undo
    })
    await looking.catch((error: unknown) => expect(error).toBe(undo))
    return taken
  }
  const setTip = async (height: bigint, time: bigint, final_height: bigint | null = null) => {
    await store.db.deleteFrom('blocks').execute()
    await store.db.insertInto('blocks').values({ chain, height, hash: 'h', parent_hash: 'p', time, final_height }).execute()
  }
  const writeAll = async (...ranges: readonly StoredRange[]) => {
    await touchOrders(store.db, [order.id])
    await deriveTouched(store.db, ranges)
  }
  const write = (range: Partial<StoredRange>) => writeAll({ orderId: order.id, clock: 'now', since: null, until: null, ...range })

  test.each<{
    clock: StoredRange['clock']
    since: bigint
    until: bigint
    inside: () => Promise<unknown>
    outside: (() => Promise<unknown>)[]
  }>([
    {
      clock: 'bitcoin_regtest height',
      since: 5n,
      until: 7n,
      inside: () => setTip(6n, 0n),
      outside: [() => setTip(4n, 0n), () => setTip(7n, 0n)],
    },
    {
      clock: 'bitcoin_regtest time',
      since: 5n,
      until: 7n,
      inside: () => setTip(0n, 5n),
      outside: [() => setTip(9n, 4n), () => setTip(0n, 7n)],
    },
    {
      clock: 'bitcoin_regtest final',
      since: 5n,
      until: 7n,
      inside: () => setTip(9n, 0n, 6n),
      outside: [() => setTip(9n, 0n, 4n), () => setTip(9n, 0n, 7n), () => setTip(9n, 0n)],
    },
    {
      clock: 'bitcoin_regtest age',
      since: 5n,
      until: 7n,
      inside: () => setTip(0n, 95n),
      outside: [() => setTip(0n, 96n), () => setTip(0n, 93n)],
    },
  ])('when $clock leaves its range', async ({ inside, outside, ...range }) => {
    await write(range)
    await inside()
    expect(await due()).toEqual([])
    for (const move of outside) {
      await move()
      expect(await due()).toEqual([order.id])
    }
    expect(await due({ shards: [] })).toEqual([])
    expect(await due({ chains: ['another'] })).toEqual([])
    await writeAll()
    expect(await due()).toEqual([])
  })

  test("by the party's clock and by the time that it asked for", async () => {
    await write({ clock: 'now', until: 101n })
    expect(await due()).toEqual([])
    expect(await due({ now: 101n })).toEqual([order.id])
    await write({ clock: 'recheck', until: 100_001n })
    expect(await due({ now: 101n })).toEqual([])
    expect(await due({ nowMs: 100_001n })).toEqual([order.id])
  })

  test('a chain without a recorded block is at height 0', async () => {
    await store.db.deleteFrom('blocks').execute()
    await write({ clock: 'bitcoin_regtest height', since: null, until: 1n })
    expect(await due()).toEqual([])
    await setTip(1n, 0n)
    expect(await due()).toEqual([order.id])
  })
})
