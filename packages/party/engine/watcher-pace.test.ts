/** Counts the watcher's requests on chains with skipped heights, with four blocks a second, and with several blocks in one second. */

import type { Order } from '@tandem/protocol/order.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { REMEMBERED_BLOCKS, readBlocks, readCursor, readEvents } from '../store/chain/events.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { NOW, putOrder, sightingsOf } from '../store/store.fixture.ts'
import { createMemoryChain, type MemoryChain } from './chain.fixture.ts'
import { createWatchList, type WatchList } from './watch-list.ts'
import { pollChain } from './watcher.ts'

const id = 'bitcoin_regtest'
const gappy = { blockMs: 250, skipsOneIn: 7n }
const store = sharedStore()
let chain: MemoryChain
let order: Order
let list: WatchList
let reorgs: { from: bigint; to: bigint }[]
beforeEach(async () => {
  for (const table of ['events', 'blocks', 'leases', 'swaps', 'orders'] as const) await store.db.deleteFrom(table).execute()
  order = (await putOrder(store.db)).order
  use(createMemoryChain(id, NOW, gappy))
})

function use(next: MemoryChain): void {
  chain = next
  list = createWatchList(store.db, chain.chain)
  reorgs = []
}
const watch = () =>
  pollChain({ db: store.db, client: chain, holder: 'me', list, onReorg: ({ from, to }) => void reorgs.push({ from, to }) })
const deposit = () => sightingsOf(order.source.swapId).initiated()
const cursor = () => readCursor(store.db, id)
const seen = async ({ source } = order) =>
  ((await readEvents(store.db, [source])).get(`${id} ${source.swapId}`) ?? []).map((event) => [event.kind, event.block?.hash ?? null])

async function catchUp(): Promise<void> {
  while ((await watch()).behind);
}

test('skipped heights are followed, and block ordinals are kept', async () => {
  await watch()
  const mined = chain.mine(deposit())
  chain.grow(30)
  expect(await watch()).toEqual({ changed: true, behind: false })
  expect(await seen()).toEqual([['initiated', mined.hash]])
  expect(await cursor()).toEqual(await chain.tip())
  const [event] = [...(await readEvents(store.db, [order.source])).values()].flat()
  expect(event?.block).toEqual({ height: mined.height, hash: mined.hash, time: mined.time, ordinal: mined.ordinal })
})

test('blocks within one second are distinguished', async () => {
  await watch()
  const [one, two] = [chain.mine(deposit()), chain.mine(sightingsOf(order.source.swapId).redeemed('5e'.repeat(32)))]
  expect(one.time).toBe(two.time)
  await watch()
  chain.drop(1)
  chain.mine()
  await catchUp()
  expect(await seen()).toEqual([['initiated', one.hash]])
})

describe('requests of a poll', () => {
  const headerRequests = () => chain.asked.filter((question) => question.startsWith('headers'))
  const heightsAsked = () => headerRequests().flatMap((question) => question.split(' ').slice(1))

  async function followForAMinute(): Promise<{ readonly polls: number; readonly requests: number; readonly most: number }> {
    await watch()
    const start = (await chain.tip()).time
    let polls = 0
    let most = 0
    chain.asked.length = 0
    for (let second = 1n; second <= 60n; second++) {
      const { hash } = await chain.tip()
      while ((await chain.tip()).time < start + second) chain.grow(1)
      // A block of 12 s exists from the beginning of its time.
      if ((await chain.tip()).hash !== hash) polls += 1
      const before = heightsAsked().length
      await watch()
      most = Math.max(most, heightsAsked().length - before)
    }
    expect(await cursor()).toEqual(await chain.tip())
    return { polls, requests: headerRequests().length, most }
  }

  test.each([
    { name: 'a block every 12 s', pace: { blockMs: 12_000 } },
    { name: 'a block every second', pace: { blockMs: 1000 } },
    { name: 'four blocks a second', pace: { blockMs: 250 } },
    { name: 'four blocks a second with skipped heights', pace: gappy },
    { name: 'twenty blocks a second', pace: { blockMs: 50 } },
  ])('$name: one request for headers per poll with a new block, however many blocks there are', async ({ pace }) => {
    use(createMemoryChain(id, NOW, pace))
    const { polls, requests, most } = await followForAMinute()
    expect(requests).toBe(polls)
    // The watcher reads the cursor and the newest block, and the blocks between only if they are few.
    expect(most).toBeLessThanOrEqual(5)
  })

  test('a poll after a minute makes as many requests at 4 blocks a second as at 1 in 12 s', async () => {
    const costs: number[] = []
    for (const blockMs of [250, 12_000]) {
      await store.db.deleteFrom('blocks').execute()
      use(createMemoryChain(id, NOW, { blockMs }))
      await watch()
      chain.asked.length = 0
      chain.grow(60_000 / blockMs)
      await watch()
      expect(await cursor()).toEqual(await chain.tip())
      costs.push(chain.asked.length)
    }
    expect(costs[0]).toBe(costs[1])
  })

  test('without a new block read no header', async () => {
    await watch()
    chain.asked.length = 0
    await watch()
    expect(headerRequests()).toEqual([])
  })
})

describe('a reorg', () => {
  test('that skips the height of our newest block is detected', async () => {
    await watch()
    chain.skip(1)
    chain.mine(deposit())
    await watch()
    const old = await cursor()
    chain.drop(1)
    chain.mine()
    chain.skip(3)
    const mined = chain.mine(deposit())
    expect(await chain.headers([old?.height ?? 0n])).toEqual([])
    await catchUp()
    expect(await seen()).toEqual([['initiated', mined.hash]])
    expect(reorgs).toHaveLength(1)
  })

  test('of the cursor is detected across a skipped height, even if a lagging node still has the cursor', async () => {
    await watch()
    const old = await cursor()
    chain.drop(1)
    const mined = chain.mine(deposit())
    chain.skip(1)
    chain.grow(1)
    const { headers } = chain
    chain.headers = async (heights) =>
      (await headers(heights)).map((header) => (old !== null && header.height === old.height ? { ...header, hash: old.hash } : header))
    await expect(watch()).rejects.toThrow('is reorganising')
    expect(await cursor()).toEqual(old)
    chain.headers = headers
    await catchUp()
    expect(await seen()).toEqual([['initiated', mined.hash]])
  })

  test('is not assumed when a node lacks a block, although heights may skip', async () => {
    await watch()
    chain.mine(deposit())
    await watch()
    const before = await cursor()
    chain.grow(5)
    const { headers } = chain
    chain.headers = async (heights) => (await headers(heights)).filter(({ height }) => height !== before?.height)
    for (const _ of [1, 2]) await expect(watch()).rejects.toMatchObject({ kind: 'unreachable' })
    expect(await cursor()).toEqual(before)
    expect(await seen()).toHaveLength(1)
    expect(reorgs).toEqual([])
    chain.headers = headers
    await watch()
    expect(await cursor()).toEqual(await chain.tip())
  })

  test('is not assumed when a node is behind, at a block that we do not remember', async () => {
    await watch()
    chain.grow(20)
    chain.mine(deposit())
    await watch()
    const before = await seen()
    const known = await readBlocks(store.db, id)
    chain.drop(10)
    const { hash } = await chain.tip()
    expect(known.some((block) => block.hash === hash)).toBe(false)
    await expect(watch()).rejects.toMatchObject({ kind: 'unreachable' })
    expect(await seen()).toEqual(before)
    expect(reorgs).toEqual([])
  })

  test('between remembered blocks rewinds to the lower one, and events that are still canonical are seen again', async () => {
    await watch()
    const lower = await cursor()
    chain.grow(3)
    const kept = chain.mine(deposit())
    chain.grow(30)
    await watch()
    chain.drop(20)
    chain.grow(25)
    await catchUp()
    expect(reorgs.map(({ to }) => to)).toEqual([kept.height])
    expect(await seen()).toEqual([['initiated', kept.hash]])
    expect(lower?.height).toBeLessThan(kept.height)
    expect(await cursor()).toEqual(await chain.tip())
  })

  test('as deep as the remembered blocks is followed, even if they are sparse', async () => {
    use(createMemoryChain(id, NOW, { blockMs: 500 }))
    await watch()
    for (let poll = 0; poll < 10; poll++) {
      chain.grow(60)
      await watch()
    }
    const old = await cursor()
    chain.drop(REMEMBERED_BLOCKS - 1)
    chain.grow(REMEMBERED_BLOCKS)
    await catchUp()
    expect(reorgs).toEqual([{ from: old?.height, to: expect.any(BigInt) }])
    expect(await cursor()).toEqual(await chain.tip())
  })

  const moments = [1, 2, 3, 4].flatMap((moment) => [0, 1].map((deposits) => ({ moment, deposits })))
  test.each(moments)(
    'before request $moment of a poll, of $deposits deposits, removes the old events and misses no new one',
    async (changed) => {
      const { moment, deposits } = changed
      await watch()
      const other = (await putOrder(store.db)).order
      chain.grow(6)
      chain.mine(...[deposit()].slice(0, deposits))
      chain.grow(6)
      let asked = 0
      const replace = () => {
        asked += 1
        if (asked !== moment) return
        chain.drop(8)
        chain.mine(sightingsOf(other.source.swapId).initiated())
        chain.grow(9)
      }
      for (const question of ['tip', 'headers', 'events', 'unconfirmedEvents'] as const) chain.before[question] = replace
      await watch()
      expect(asked).toBeGreaterThanOrEqual(moment)
      await catchUp()
      await catchUp()
      expect(await cursor()).toEqual(await chain.tip())
      expect(await seen()).toEqual([])
      expect(await seen(other)).toHaveLength(1)
    },
  )
})

describe('catching up', () => {
  test('over steps that end in skipped heights', async () => {
    await watch()
    const { height } = await chain.tip()
    const early = chain.mine(deposit())
    while ((await chain.tip()).height < height + 480n) chain.grow(1)
    // The first step would end inside the skipped heights.
    chain.skip(40)
    chain.grow(30)
    const late = chain.mine(sightingsOf(order.source.swapId).redeemed('5e'.repeat(32)))
    chain.skip(1300)
    chain.grow(3)
    await catchUp()
    expect((await seen()).toSorted()).toEqual([
      ['initiated', early.hash],
      ['redeemed', late.hash],
    ])
    expect(await cursor()).toEqual(await chain.tip())
  })

  test.each([...Array(12).keys()])(
    'with random reorgs and skipped heights ends at the tip with the right events, seed %s',
    async (seed) => {
      let state = seed + 1
      const dice = (sides: number) => {
        state = (state * 48_271) % 2_147_483_647
        return state % sides
      }
      const truth = async () => chain.events(list, 0n, (await chain.tip()).height)
      await watch()
      // The depth is larger than that of any reorg below.
      chain.grow(40)
      await watch()
      for (let round = 0; round < 12; round++) {
        const depth = dice(20)
        if (dice(2) === 0) chain.drop(depth)
        chain.skip(dice(3))
        chain.grow(depth + 1 + dice(30))
        if ((await truth()).length === 0 && dice(2) === 0) chain.mine(deposit())
        chain.grow(1 + dice(4))
        await catchUp()
        expect(await cursor()).toEqual(await chain.tip())
        expect(await seen()).toEqual((await truth()).map((event) => [event.kind, event.block?.hash]))
      }
    },
  )
})
