/** These tests show how often the service reads prefunded amounts, and what it records. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { localRegistry } from '@tandem/families/local-registry.fixture.ts'
import { createMemoryChain } from '@tandem/party/engine/chain.fixture.ts'
import { createStaticFeed } from '@tandem/party/prices/static-feed.ts'
import { createApp } from '@tandem/party/store/apps/apps.ts'
import { addGrant } from '@tandem/party/store/orders/grants.ts'
import { findOrder } from '@tandem/party/store/orders/orders.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { NOW, putOrder } from '@tandem/party/store/store.fixture.ts'
import { prefundedGrant, signedGrant } from '@tandem/protocol/grants.fixture.ts'
import { testLog } from '@tandem/runtime/test-log.fixture.ts'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { SyncContext } from '../solver-sync/solver-sync.ts'
import { createCollectTasks } from './collect-prefunds.ts'

const CHAIN = 'hypercore_localnet'
const quiet = testLog()
const store = sharedStore()
let asked: string[]
let requests: number
let paid: Map<string, bigint>
let woken: number
let seconds: number
let prices: Readonly<Record<string, bigint>>
let feesRead: number

beforeAll(async () => {
  await createApp(store.db, 'shop')
  await createApp(store.db, 'wallet')
})
beforeEach(async () => {
  for (const table of ['grants', 'prefunds', 'swaps', 'orders', 'order_list'] as const) await store.db.deleteFrom(table).execute()
  asked = []
  paid = new Map()
  requests = 0
  woken = 0
  seconds = 0
  prices = {}
  feesRead = 0
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const put = (changes: { chain?: string; deadline?: bigint; depositAddress?: string; app?: string } = {}) =>
  putOrder(store.db, {
    app: changes.app ?? 'shop',
    worth: { volumeUsdMicros: 1n, feeUsdMicros: 0n },
    source: { chain: changes.chain ?? CHAIN, depositAddress: changes.depositAddress ?? null },
    ...(changes.deadline !== undefined && { deadline: changes.deadline }),
  })

function start(kind: 'accounts of payers' | 'addresses of swaps' = 'accounts of payers'): (passes: number) => Promise<void> {
  const memory = createMemoryChain(CHAIN, NOW)
  const prefund: NonNullable<ChainClient['prefund']> = {
    ...(kind === 'addresses of swaps' && { addressOf: () => 'not asked for' }),
    async amounts(swaps) {
      requests += 1
      asked.push(...swaps.map(({ terms }) => terms.secretHash))
      return swaps.map(({ terms }) => paid.get(terms.secretHash) ?? 0n)
    },
    initiate: async () => 'not asked for',
    reclaim: async () => 'not asked for',
  }
  /** A refund costs $2, and a return half as much again. */
  const legCost = async () => {
    feesRead += 1
    return { decimals: 18, initiate: 0n, redeem: 0n, refund: 10n ** 15n }
  }
  const context: Pick<SyncContext, 'db' | 'log' | 'wake' | 'now' | 'clients' | 'registry' | 'prices'> = {
    db: store.db,
    registry: localRegistry(),
    prices: createStaticFeed(prices),
    log: quiet,
    now: () => NOW + BigInt(seconds),
    wake: () => {
      woken += 1
    },
    clients: new Map<string, ChainClient>([
      [CHAIN, { ...memory, prefund, legCost }],
      ['ethereum_localnet', createMemoryChain('ethereum_localnet', NOW)],
    ]),
  }
  const due = createCollectTasks(context as SyncContext)
  return async (passes) => {
    for (let pass = 0; pass < passes; pass += 1) {
      for (const { run } of due()) await run()
      seconds += 1
      vi.setSystemTime(Date.now() + 1_000)
    }
  }
}

test('grants the initiation of a prefunded order once, and of no other order', async () => {
  const [order, other, late, elsewhere] = [
    await put(),
    await put(),
    await put({ deadline: NOW + 50n }),
    await put({ chain: 'bitcoin_regtest' }),
  ]
  const granted = await put()
  await addGrant(store.db, granted.order.id, signedGrant('0x12'))
  const pass = start()
  await pass(1)
  expect(new Set(asked)).toEqual(new Set([order, other].map((one) => one.order.source.terms.secretHash)))
  expect(woken).toBe(0)

  paid = new Map([order, late, elsewhere].map(({ order: { source } }) => [source.terms.secretHash, source.terms.amount]))
  paid.set(other.order.source.terms.secretHash, other.order.source.terms.amount - 1n)
  await pass(3)
  expect(woken).toBe(1)
  const grantsOf = async (one: typeof order) => (await findOrder(store.db, one.order.id))?.grants
  expect(await grantsOf(order)).toEqual([prefundedGrant(order.order.deadline)])
  for (const unpaid of [other, late, elsewhere]) expect(await grantsOf(unpaid)).toEqual([])
  asked = []
  await pass(2)
  expect(asked).not.toContain(order.order.source.terms.secretHash)
})

test('reads an order less often the longer it waits', async () => {
  await put()
  const pass = start()
  await pass(15)
  const first = asked.length
  expect(first).toBeLessThan(35)
  expect(first).toBeGreaterThan(10)
  await pass(200)
  expect(asked.length - first).toBeLessThan(25)
  expect(asked.length - first).toBeGreaterThan(8)
})

test('reads every unfunded order in turn, and the newest at once', async () => {
  const old = await Promise.all(Array.from({ length: 120 }, () => put()))
  const pass = start()
  await pass(4)
  expect(new Set(asked).size).toBe(old.length)
  expect(requests).toBeLessThanOrEqual(4)
  const fresh = await put({ deadline: NOW + 3_700n })
  asked = []
  await pass(1)
  expect(asked).toContain(fresh.order.source.terms.secretHash)
})

describe('a prefunded amount that no initiation can use', () => {
  const seen = async () =>
    (await store.db.selectFrom('prefunds').select('order_id').where('amount', '>', 0n).execute()).map((row) => row.order_id)
  const pay = ({ order: { source } }: Awaited<ReturnType<typeof put>>, amount = source.terms.amount) =>
    paid.set(source.terms.secretHash, amount)

  test('is recorded after the deadline or if the order is initiated already; not if the order can still use it, and not if it is dust', async () => {
    const [late, twice, waiting, dust, elsewhere] = [
      await put({ deadline: NOW - 1n }),
      await put(),
      await put(),
      await put({ deadline: NOW - 1n }),
      await put({ chain: 'bitcoin_regtest', deadline: NOW - 1n }),
    ]
    await store.db.updateTable('order_list').set({ status: 'initiated' }).where('order_id', '=', twice.order.id).execute()
    await store.db.updateTable('swaps').set({ initiator: 'another' }).where('order_id', '=', waiting.order.id).execute()
    for (const one of [late, twice, waiting, elsewhere]) pay(one)
    pay(late, 1n + late.order.source.terms.amount / 100n)
    pay(dust, dust.order.source.terms.amount / 100n - 1n)
    const pass = start()
    await pass(1)
    expect(new Set(await seen())).toEqual(new Set([late.order.id, twice.order.id]))
    expect(woken).toBe(3)
    // A recorded amount is not read again until it is reclaimed. A second payment after that is found.
    asked = []
    await store.db.updateTable('prefunds').set({ amount: 0n }).where('order_id', '=', twice.order.id).execute()
    await pass(6)
    expect(asked).not.toContain(late.order.source.terms.secretHash)
    expect(new Set(await seen())).toEqual(new Set([late.order.id, twice.order.id]))
  })

  test('is left alone while another order of the same payer can be funded with it', async () => {
    const late = await put({ deadline: NOW - 1n })
    pay(late)
    const next = await put()
    const pass = start()
    await pass(6)
    expect(await seen()).toEqual([])
    await store.db.updateTable('order_list').set({ status: 'initiated' }).where('order_id', '=', next.order.id).execute()
    await pass(16)
    expect(await seen()).toEqual([late.order.id])
  })

  test('is read every few seconds after one was found, and less often otherwise', async () => {
    const order = await put({ deadline: NOW - 1n })
    const pass = start()
    await pass(15)
    expect(requests).toBe(1)
    pay(order)
    await pass(1)
    expect(requests).toBe(2)
    expect(await seen()).toEqual([order.order.id])
    await store.db.updateTable('prefunds').set({ amount: 0n }).execute()
    await pass(5)
    expect(requests).toBe(3)
    expect(await seen()).toEqual([order.order.id])
  })

  test('is recorded while its order is open, at most 120 per hour, with one request for many orders', async () => {
    const many = await Promise.all(Array.from({ length: 130 }, () => put({ deadline: NOW - 1n })))
    for (const one of many) pay(one)
    const pass = start()
    await pass(30)
    expect((await seen()).length).toBe(120)
    expect(requests).toBeLessThanOrEqual(6)
    vi.setSystemTime(Date.now() + 3_600_000)
    await pass(1)
    expect((await seen()).length).toBe(130)
    await store.db.updateTable('orders').set({ closed_at: new Date() }).execute()
    await store.db.updateTable('prefunds').set({ amount: 0n }).execute()
    vi.setSystemTime(Date.now() + 3_600_000)
    await pass(1)
    expect(await seen()).toEqual([])
  })
})

describe('deposit addresses', () => {
  const putWithAddress = (changes: { deadline?: bigint } = {}) => put({ ...changes, depositAddress: '0x12' })
  const pay = ({ order: { source } }: Awaited<ReturnType<typeof put>>, amount = source.terms.amount) =>
    paid.set(source.terms.secretHash, amount)
  const stored = async ({ order }: Awaited<ReturnType<typeof put>>) => findOrder(store.db, order.id)
  const secondsOf = (passes: number) => start('addresses of swaps')(passes)

  test('cost no request while no order asked for one, and then one request for all', async () => {
    await Promise.all([put(), put({ deadline: NOW - 1n })])
    await secondsOf(40)
    expect(requests).toBe(0)
    const many = await Promise.all(Array.from({ length: 30 }, () => putWithAddress()))
    await secondsOf(1)
    expect(requests).toBe(1)
    expect(new Set(asked).size).toBe(many.length)
  })

  test('are all read soon, however many orders nobody pays: they are free to make', async () => {
    const old = await Promise.all(Array.from({ length: 650 }, () => putWithAddress()))
    const pass = start('addresses of swaps')
    await pass(3)
    expect(new Set(asked).size).toBe(old.length)
    expect(requests).toBe(3)
  })

  test('show what has arrived, and no dust; the whole amount is initiated at the cost of the app', async () => {
    const order = await putWithAddress()
    const { amount } = order.order.source.terms
    const pass = start('addresses of swaps')
    for (const [arrived, shown] of [
      [amount / 100n - 1n, 0n],
      [amount / 2n, amount / 2n],
      [0n, 0n],
      [amount - 1n, amount - 1n],
    ] as const) {
      pay(order, arrived)
      await pass(3)
      expect(await stored(order)).toMatchObject({ prefund: shown, grants: [] })
    }
    // An order that shows money is in another state, and is still read.
    await store.db.updateTable('order_list').set({ status: 'initiate_detected' }).where('order_id', '=', order.order.id).execute()
    pay(order, amount + 5n)
    await pass(4)
    expect(await stored(order)).toMatchObject({ prefund: amount + 5n, grants: [prefundedGrant(order.order.deadline)] })
    expect(await store.db.selectFrom('grants').select('sponsor').executeTakeFirst()).toEqual({ sponsor: 'shop' })
    asked = []
    await pass(40)
    expect(asked).toEqual([])
  })

  test('are initiated within the daily budget of the app, and not beyond it', async () => {
    const [first, second] = [await putWithAddress(), await putWithAddress()]
    await store.db.updateTable('apps').set({ sponsored_per_day: 1 }).where('name', '=', 'shop').execute()
    pay(first)
    await secondsOf(3)
    pay(second)
    const pass = start('addresses of swaps')
    await pass(10)
    expect((await stored(first))?.grants).toHaveLength(1)
    expect((await stored(second))?.grants).toEqual([])
    await store.db.updateTable('apps').set({ sponsored_per_day: null }).where('name', '=', 'shop').execute()
    await pass(10)
    expect((await stored(second))?.grants).toHaveLength(1)
  })

  test('are emptied when it is too late, or paid twice, whatever else the user ordered; not while the money is on its way', async () => {
    const [late, twice, waiting, ordinary] = [
      await putWithAddress({ deadline: NOW - 1n }),
      await putWithAddress(),
      await putWithAddress(),
      await put({ deadline: NOW - 1n }),
    ]
    await store.db.updateTable('order_list').set({ status: 'initiated' }).where('order_id', '=', twice.order.id).execute()
    await sql`update swaps set funded = true where order_id = ${twice.order.id}`.execute(store.db)
    await store.db.updateTable('order_list').set({ status: 'initiate_detected' }).where('order_id', '=', waiting.order.id).execute()
    for (const order of [late, twice, waiting, ordinary]) pay(order)
    await secondsOf(1)
    const seen = await store.db.selectFrom('prefunds').select('order_id').where('amount', '>', 0n).execute()
    expect(new Set(seen.map((row) => row.order_id))).toEqual(new Set([late, twice, waiting].map(({ order }) => order.id)))
    expect((await stored(waiting))?.grants).toHaveLength(1)
    for (const order of [late, twice, ordinary]) expect((await stored(order))?.grants).toEqual([])
  })

  test('whatever strangers pay and when: only the whole amount in time is initiated, within the budget, and nobody is told of dust', async () => {
    const BUDGET = 2
    const percent = fc.oneof(fc.constantFrom(0, 100), fc.integer({ min: 0, max: 250 }))
    const step = fc.record({ order: fc.nat(3), percent, seconds: fc.constantFrom(1, 1, 30, 400) })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        for (const table of ['grants', 'prefunds', 'swaps', 'orders', 'order_list'] as const) await store.db.deleteFrom(table).execute()
        await store.db.updateTable('apps').set({ sponsored_per_day: BUDGET }).where('name', '=', 'shop').execute()
        paid = new Map()
        seconds = 0
        const orders = await Promise.all(Array.from({ length: 4 }, (_, n) => putWithAddress({ deadline: NOW + 400n + BigInt(n) * 100n })))
        const inTime = new Set<string>()
        const pass = start('addresses of swaps')
        for (const { order: n, percent: part, seconds: wait } of steps) {
          const order = orders[n]
          if (order === undefined) throw new Error('there is no such order')
          const { id, source, deadline } = order.order
          pay(order, (source.terms.amount * BigInt(part)) / 100n)
          seconds += wait - 1
          vi.setSystemTime(Date.now() + (wait - 1) * 1_000)
          if (part >= 100 && NOW + BigInt(seconds) + 60n < deadline) inTime.add(id)
          await pass(1)
        }
        const found = await Promise.all(orders.map(stored))
        const granted = found.filter((one) => (one?.grants.length ?? 0) > 0)
        expect(granted.every((one) => inTime.has(one?.order.id ?? ''))).toBe(true)
        expect(granted.length).toBeLessThanOrEqual(BUDGET)
        for (const one of found) {
          const { amount } = one?.order.source.terms ?? { amount: 0n }
          expect(one?.prefund === 0n || (one?.prefund ?? 0n) * 100n >= amount).toBe(true)
        }
      }),
      { numRuns: 25 },
    )
    await store.db.updateTable('apps').set({ sponsored_per_day: null }).where('name', '=', 'shop').execute()
  })

  describe('are emptied for what is worth its fee', () => {
    const DOLLARS = 100_000_000n
    const returned = async () => {
      const rows = await store.db.selectFrom('prefunds').select('order_id').where('amount', '>', 0n).execute()
      return new Set(rows.map((row) => row.order_id))
    }
    const late = (app: string, count: number) =>
      Promise.all(Array.from({ length: count }, () => put({ app, deadline: NOW - 1n, depositAddress: '0x12' })))
    /** An order is for one coin, at $100. A return costs $3. */
    const atPrices = () => {
      prices = { 'bitcoin_regtest:btc': 100n * DOLLARS, [createMemoryChain(CHAIN, NOW).chain.nativeAsset]: 2_000n * DOLLARS }
    }

    test('dust uses up nothing of the hour, and its owners are told', async () => {
      atPrices()
      const dust = await late('shop', 120)
      for (const one of dust) pay(one, one.order.source.terms.amount / 100n)
      const pass = start('addresses of swaps')
      await pass(40)
      expect((await returned()).size).toBe(120)
      expect(feesRead).toBeLessThanOrEqual(5)
      const worth = await late('shop', 119)
      const [victim] = await late('shop', 1)
      if (victim === undefined) throw new Error('there is no order')
      for (const one of worth) pay(one, (one.order.source.terms.amount * 3n) / 100n)
      pay(victim)
      await pass(40)
      expect((await returned()).size).toBe(240)
      expect(await returned()).toContain(victim.order.id)
    })

    test('beyond the 120 of an hour more dust is not shown, and does not keep anything else from it', async () => {
      atPrices()
      for (const one of await late('shop', 150)) pay(one, one.order.source.terms.amount / 100n)
      const pass = start('addresses of swaps')
      await pass(40)
      expect((await returned()).size).toBe(120)
      const [victim] = await late('shop', 1)
      if (victim === undefined) throw new Error('there is no order')
      pay(victim)
      await pass(40)
      expect(await returned()).toContain(victim.order.id)
    })

    test('however many orders of one app are paid late: those of another app are emptied all the same', async () => {
      atPrices()
      for (const one of await late('shop', 130)) pay(one)
      const pass = start('addresses of swaps')
      await pass(40)
      expect((await returned()).size).toBe(120)
      const others = await late('wallet', 120)
      for (const one of others) pay(one)
      await pass(40)
      expect((await returned()).size).toBe(240)
      for (const { order } of others) expect(await returned()).toContain(order.id)
    })
  })

  test('of closed orders are not read', async () => {
    const late = await putWithAddress({ deadline: NOW - 1n })
    await store.db.updateTable('orders').set({ closed_at: new Date() }).where('id', '=', late.order.id).execute()
    pay(late)
    await secondsOf(20)
    expect(requests).toBe(0)
  })
})
