/** Tests what the watcher records in a poll, also after a reorg. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Order } from '@tandem/protocol/order.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { holdLease } from '../store/actions/leases.ts'
import { REMEMBERED_BLOCKS, readBlocks, readCursor, readEvents } from '../store/chain/events.ts'
import { findOrder } from '../store/orders/orders.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { NOW, putOrder, sightingsOf } from '../store/store.fixture.ts'
import { createMemoryChain, type MemoryChain } from './chain.fixture.ts'
import { createPollMemory } from './poll-memory.ts'
import { createWatchList, type WatchList } from './watch-list.ts'
import { pollChain } from './watcher.ts'

const id = 'bitcoin_regtest'
const SECRET = '5e'.repeat(32)
const store = sharedStore()
let chain: MemoryChain
let order: Order
let list: WatchList
let reorgs: { from: bigint; to: bigint }[]
beforeEach(async () => {
  for (const table of ['events', 'blocks', 'leases', 'swaps', 'orders'] as const) await store.db.deleteFrom(table).execute()
  chain = createMemoryChain(id, NOW)
  order = (await putOrder(store.db)).order
  list = createWatchList(store.db, chain.chain)
  reorgs = []
})

const watch = (holder = 'me') =>
  pollChain({ db: store.db, client: chain, holder, list, onReorg: ({ from, to }) => void reorgs.push({ from, to }) })
const deposit = () => sightingsOf(order.source.swapId).initiated()
const redeem = () => sightingsOf(order.source.swapId).redeemed(SECRET)
const cursor = () => readCursor(store.db, id)
const seen = async ({ source } = order) =>
  ((await readEvents(store.db, [source])).get(`${id} ${source.swapId}`) ?? [])
    .map((event) => [event.kind, event.block?.hash ?? null] as const)
    .sort(([one], [two]) => one.localeCompare(two))

const eventsOf = async (tx: string) =>
  ((await readEvents(store.db, [order.source])).get(`${id} ${order.source.swapId}`) ?? []).filter((event) => event.tx === tx)

function rememberingPolls() {
  const troubles: (string | null)[] = []
  const onMempool = (failure: Error | null) => void troubles.push(failure?.message ?? null)
  const how = { db: store.db, client: chain, holder: 'me', list, memory: createPollMemory(), onReorg: () => undefined, onMempool }
  return { poll: () => pollChain(how), memory: how.memory, troubles }
}

async function catchUp(): Promise<number> {
  for (let steps = 1; ; steps++) if (!(await watch()).behind) return steps
}

describe('a first poll', () => {
  test('starts as far below the newest block as a reorg may reach, and finds the events there', async () => {
    const mined = chain.mine(deposit())
    const tip = chain.grow(2)
    expect(await watch()).toEqual({ changed: true, behind: false })
    const blocks = await readBlocks(store.db, id)
    expect(blocks).toHaveLength(chain.chain.finalityBlocks + 1)
    expect(blocks[0]).toEqual(tip)
    expect(await seen()).toEqual([['initiated', mined.hash]])
  })

  test('starts at the first block of a shorter chain', async () => {
    const young = (height: bigint) => ({ height, hash: `young ${height}`, parentHash: `young ${height - 1n}`, time: NOW })
    chain.tip = async () => young(1n)
    chain.headers = async (heights) => heights.map(young)
    await watch()
    expect((await readBlocks(store.db, id)).map((block) => block.height)).toEqual([1n, 0n])
  })

  test('goes on after a reorg of the block that it started from', async () => {
    await watch()
    chain.drop(1)
    const mined = chain.mine(deposit())
    await catchUp()
    expect(await seen()).toEqual([['initiated', mined.hash]])
  })

  test('requests no events when there are no swaps', async () => {
    for (const table of ['swaps', 'orders'] as const) await store.db.deleteFrom(table).execute()
    await watch()
    expect(chain.asked.filter((question) => /events/i.test(question))).toEqual([])
    expect(await cursor()).not.toBeNull()
  })
})

describe('a poll', () => {
  test('without a new block or event changes nothing', async () => {
    await watch()
    const before = await cursor()
    expect(await watch()).toEqual({ changed: false, behind: false })
    expect(await cursor()).toEqual(before)
  })

  test('sees the mempool, then the block, then the spend in the same block range', async () => {
    await watch()
    chain.mempool = [deposit()]
    expect(await watch()).toEqual({ changed: true, behind: false })
    expect(await seen()).toEqual([['initiated', null]])
    chain.mempool = []
    const first = chain.mine(deposit())
    const second = chain.mine(redeem())
    await watch()
    expect(await seen()).toEqual([
      ['initiated', first.hash],
      ['redeemed', second.hash],
    ])
    expect((await findOrder(store.db, order.id))?.seenSecret).toBe(SECRET)
  })

  test('sees the unconfirmed spend of a deposit that it finds in the same poll', async () => {
    await watch()
    const mined = chain.mine(deposit())
    chain.mempool = [redeem()]
    await watch()
    expect(await seen()).toEqual([
      ['initiated', mined.hash],
      ['redeemed', null],
    ])
  })

  test('sees the spend of a deposit from long before', async () => {
    const mined = chain.mine(deposit())
    await watch()
    chain.grow(3)
    chain.mempool = [redeem()]
    await watch()
    expect(await seen()).toEqual([
      ['initiated', mined.hash],
      ['redeemed', null],
    ])
    chain.mempool = []
    const spent = chain.mine(redeem())
    await watch()
    expect(await seen()).toEqual([
      ['initiated', mined.hash],
      ['redeemed', spent.hash],
    ])
  })

  test('records blocks and their events while the mempool cannot be read, and keeps what it showed before', async () => {
    const { poll, troubles } = rememberingPolls()
    const asked = () => chain.asked.filter((question) => question === 'unconfirmedEvents').length
    const mined = chain.mine(deposit())
    await poll()
    chain.mempool = [redeem()]
    chain.grow(1)
    await poll()
    chain.before.unconfirmedEvents = () => {
      throw new ChainFailure('unreachable', 'no mempool')
    }
    const tip = chain.grow(1)
    await poll()
    expect(await cursor()).toMatchObject({ hash: tip.hash })
    expect(await seen()).toEqual([
      ['initiated', mined.hash],
      ['redeemed', null],
    ])
    const before = asked()
    chain.mempool = []
    const spent = chain.mine(redeem())
    await poll()
    expect({ asked: asked() - before, troubles }).toEqual({ asked: 0, troubles: ['no mempool'] })
    expect(await seen()).toEqual([
      ['initiated', mined.hash],
      ['redeemed', spent.hash],
    ])
  })

  test('reads a mempool again that it could not read before', async () => {
    const { poll, memory, troubles } = rememberingPolls()
    chain.mine(deposit())
    chain.before.unconfirmedEvents = () => {
      throw new ChainFailure('unreachable', 'no mempool')
    }
    await poll()
    chain.before.unconfirmedEvents = () => undefined
    chain.mempool = [redeem()]
    memory.mempoolFailedAtMs = performance.now() - 60_001
    chain.grow(1)
    await poll()
    expect(troubles).toEqual(['no mempool', null])
    expect(await seen()).toContainEqual(['redeemed', null])
  })

  test('a mempool that never answers holds up no poll that an action waits for, and is asked once', async () => {
    const memory = createPollMemory()
    const poll = () => pollChain({ db: store.db, client: chain, holder: 'me', list, memory, onReorg: () => undefined })
    chain.before.unconfirmedEvents = () => new Promise<never>(() => undefined)
    chain.mine(deposit())
    // This is far above the time that a poll waits for the mempool, and far below the interval of regular polls.
    expect(await Promise.race([poll(), sleep(6_000, 'held up')])).not.toBe('held up')
    const tip = chain.grow(1)
    await poll()
    expect(await cursor()).toMatchObject({ hash: tip.hash })
    expect(chain.asked.filter((question) => question === 'unconfirmedEvents')).toHaveLength(1)
  })

  test('an error that is not of the node still ends the poll', async () => {
    chain.mine(deposit())
    chain.before.unconfirmedEvents = () => {
      throw new Error('a fault of ours')
    }
    await expect(watch()).rejects.toThrow('a fault of ours')
  })

  test('keeps an event that left the mempool until the block that holds it is read, also after a restart', async () => {
    for (const memory of [createPollMemory(), null]) {
      const poll = () =>
        pollChain({ db: store.db, client: chain, holder: 'me', list, memory: memory ?? createPollMemory(), onReorg: () => undefined })
      await poll()
      chain.before.unconfirmedEvents = () => undefined
      const paid = { ...deposit(), tx: `paid ${memory === null}`, deposit: `paid ${memory === null}` }
      chain.mempool = [paid]
      await poll()
      // The payment is mined between the moments at which a poll reads the newest block and the mempool.
      chain.before.unconfirmedEvents = () => {
        if (chain.mempool.length > 0) chain.mine(paid)
        chain.mempool = []
      }
      await poll()
      expect((await eventsOf(paid.tx)).map(({ block }) => block)).toEqual([null])
      await poll()
      expect((await eventsOf(paid.tx)).map(({ block }) => block?.hash)).toEqual([(await chain.tip()).hash])
    }
  })

  test('keeps it also if somebody else pays another amount to the swap at that moment', async () => {
    const memory = createPollMemory()
    const poll = () => pollChain({ db: store.db, client: chain, holder: 'me', list, memory, onReorg: () => undefined })
    await poll()
    const paid = { ...deposit(), tx: 'paid', deposit: 'paid' }
    chain.mempool = [paid]
    await poll()
    chain.before.unconfirmedEvents = () => {
      if (chain.mempool.length > 0) chain.mine(paid)
      chain.mempool = [{ ...deposit(), kind: 'initiated', tx: 'dust', deposit: 'dust', amount: 546n, expiresAt: null }]
      chain.before.unconfirmedEvents = () => undefined
    }
    await poll()
    expect((await eventsOf('paid')).map(({ block }) => block)).toEqual([null])
    await poll()
    expect((await eventsOf('paid')).map(({ block }) => block?.hash)).toEqual([(await chain.tip()).hash])
    expect(await eventsOf('dust')).toHaveLength(1)
  })

  test('drops an event that is neither in the mempool nor in a block, and one that another replaces at once', async () => {
    const memory = createPollMemory()
    const poll = () => pollChain({ db: store.db, client: chain, holder: 'me', list, memory, onReorg: () => undefined })
    await poll()
    chain.mempool = [deposit()]
    await poll()
    chain.mempool = [{ ...deposit(), tx: 'replacing', deposit: 'replacing' }]
    await poll()
    expect(await eventsOf(deposit().tx)).toEqual([])
    expect(await eventsOf('replacing')).toHaveLength(1)
    chain.mempool = []
    await poll()
    await poll()
    expect(await seen()).toEqual([])
  })

  test('sees an event first in its block where nodes show no mempool', async () => {
    const { unconfirmedEvents: _, ...client } = chain
    const poll = () => pollChain({ db: store.db, client, holder: 'me', list, onReorg: () => undefined })
    await poll()
    chain.mempool = [deposit()]
    await poll()
    expect(await seen()).toEqual([])
    const mined = chain.mine(deposit())
    await poll()
    expect(await seen()).toEqual([['initiated', mined.hash]])
  })

  test('takes an event that the node shows both in a block and in its mempool as mined', async () => {
    await watch()
    chain.mempool = [deposit()]
    const mined = chain.mine(deposit())
    await watch()
    expect(await seen()).toEqual([['initiated', mined.hash]])
    chain.grow(1)
    await watch()
    expect(await seen()).toEqual([['initiated', mined.hash]])
  })

  test('goes no further than it has read, whatever the node shows of later blocks', async () => {
    await watch()
    chain.grow(1)
    const { events } = chain
    chain.before.events = () => {
      delete chain.before.events
      chain.grow(1)
      chain.mine(deposit())
    }
    // The node has not indexed the block between yet.
    chain.events = async (watched, from, to) => [...(await events(watched, from, to)), ...(await events(watched, to + 2n, to + 2n))]
    await watch()
    chain.events = events
    chain.asked.length = 0
    await catchUp()
    const tip = await chain.tip()
    expect(chain.asked).toContain(`events ${tip.height - 1n}-${tip.height}`)
    expect(await seen()).toEqual([['initiated', tip.hash]])
  })

  test('needs the lease: one process at a time', async () => {
    await holdLease(store.db, `watch ${id}`, 'someone else', 60)
    expect(await watch()).toEqual({ changed: false, behind: false })
    expect(await cursor()).toBeNull()
  })

  test.each(['before', 'after'] as const)('does not miss an order that is created and funded just %s the tip is read', async (moment) => {
    await watch()
    const { tip } = chain
    const makeAndFund = async () => {
      chain.tip = tip
      order = (await putOrder(store.db)).order
      chain.mine(deposit())
    }
    chain.tip = async () => {
      if (moment === 'before') await makeAndFund()
      const answer = await tip()
      if (moment === 'after') await makeAndFund()
      return answer
    }
    await watch()
    await catchUp()
    expect(await seen()).toEqual([['initiated', (await chain.tip()).hash]])
  })
})

describe('catching up', () => {
  test('goes in steps, misses no event, and remembers only the newest blocks', async () => {
    await watch()
    const early = chain.mine(deposit())
    chain.grow(700)
    const late = chain.mine(redeem())
    chain.grow(400)
    expect(await watch()).toEqual({ changed: true, behind: true })
    expect(await seen()).toEqual([['initiated', early.hash]])
    await catchUp()
    expect(await seen()).toEqual([
      ['initiated', early.hash],
      ['redeemed', late.hash],
    ])
    const ranges = chain.asked.filter((question) => question.startsWith('events'))
    expect(ranges).toEqual(['events 1093-1099', 'events 1100-1599', 'events 1600-2099', 'events 2100-2201'])
    const blocks = await readBlocks(store.db, id, 10_000)
    expect(blocks[0]?.height).toBe(2201n)
    // A reorg of all remembered blocks but one is still found.
    expect(blocks.at(-2)?.height).toBeGreaterThan(2201n - BigInt(REMEMBERED_BLOCKS))
    expect(blocks.at(-1)?.height).toBeLessThanOrEqual(2201n + 1n - BigInt(REMEMBERED_BLOCKS))
    const depths = blocks.map(({ height }) => Number(2201n - height))
    expect(depths.slice(0, 16)).toEqual([...Array(16).keys()])
    // Further down, no two are more than 64 heights apart.
    expect(depths.every((depth, i) => depth - (depths[i - 1] ?? 0) <= 64)).toBe(true)
    expect(depths.length).toBeLessThan(48)
  })
})

describe('a reorg', () => {
  test('of the last block removes its events, and finds the new ones', async () => {
    await watch()
    chain.mine(deposit())
    await watch()
    chain.drop(1)
    chain.mempool = [deposit()]
    const ancestor = await chain.tip()
    chain.grow(1)
    expect(await watch()).toEqual({ changed: true, behind: true })
    expect(await seen()).toEqual([])
    expect(await cursor()).toEqual(ancestor)
    await catchUp()
    expect(await seen()).toEqual([['initiated', null]])
    chain.mempool = []
    const again = chain.mine(deposit())
    await watch()
    expect(await seen()).toEqual([['initiated', again.hash]])
    expect(reorgs).toEqual([{ from: ancestor.height + 1n, to: ancestor.height }])
  })

  test('reports the deposits with their confirmations that it removes', async () => {
    await watch()
    chain.mine(deposit())
    await watch()
    const lost: (readonly object[])[] = []
    const poll = () => pollChain({ db: store.db, client: chain, holder: 'me', list, onReorg: ({ counted }) => void lost.push(counted) })
    chain.drop(1)
    chain.grow(1)
    await poll()
    expect(lost).toEqual([[{ swapId: order.source.swapId, deposit: deposit().deposit }]])
    await catchUp()
    chain.drop(1)
    chain.grow(1)
    await poll()
    expect(lost.slice(1)).toEqual([[]])
  })

  test('counts only blocks that are certainly gone, where those between two polls are not remembered', async () => {
    await watch()
    chain.grow(30)
    await watch()
    const gone: bigint[] = []
    const reorg = async () => {
      chain.drop(1)
      chain.grow(2)
      await pollChain({ db: store.db, client: chain, holder: 'me', list, onReorg: ({ blocks }) => void gone.push(blocks) })
    }
    await reorg()
    expect(gone).toEqual([1n])
    await catchUp()
    // The block with the deposit is remembered in addition to all blocks above.
    chain.mine(deposit())
    chain.grow(30)
    await watch()
    chain.drop(30)
    await reorg()
    expect(gone).toEqual([1n, 31n])
  })

  test('to a shorter chain is detected, too', async () => {
    await watch()
    chain.grow(2)
    chain.mine(deposit())
    await watch()
    chain.drop(3)
    chain.grow(1)
    await catchUp()
    expect(await seen()).toEqual([])
    expect(await cursor()).toEqual(await chain.tip())
  })

  test('is not assumed when a node lags', async () => {
    await watch()
    chain.grow(1)
    chain.mine(deposit())
    await watch()
    const before = await seen()
    expect(before).toHaveLength(1)
    chain.drop(1)
    await expect(watch()).rejects.toMatchObject({ kind: 'unreachable' })
    expect(await seen()).toEqual(before)
  })

  test('is not assumed when a faulty node lacks a block below its tip', async () => {
    await watch()
    chain.mine(deposit())
    await watch()
    const before = await cursor()
    chain.grow(2)
    const { headers } = chain
    chain.headers = async (heights) => (await headers(heights)).filter(({ height }) => height !== before?.height)
    await expect(watch()).rejects.toMatchObject({ kind: 'unreachable' })
    expect(await cursor()).toEqual(before)
    expect(await seen()).toHaveLength(1)
    expect(reorgs).toEqual([])
  })

  test('keeps the events below it', async () => {
    const kept = chain.mine(deposit())
    await watch()
    chain.grow(40)
    chain.mine(redeem())
    await watch()
    chain.drop(41)
    chain.grow(60)
    await catchUp()
    expect(reorgs).toEqual([{ from: kept.height + 41n, to: kept.height }])
    expect(await seen()).toEqual([['initiated', kept.hash]])
    expect(await cursor()).toEqual(await chain.tip())
    expect((await findOrder(store.db, order.id))?.seenSecret).toBe(SECRET)
  })

  test('deeper than the remembered blocks is refused with an error every time, and changes nothing', async () => {
    const mined = chain.mine(deposit())
    await watch()
    const before = await cursor()
    chain.drop(chain.chain.finalityBlocks + 1)
    chain.grow(20)
    chain.mine(redeem())
    for (const _ of [1, 2]) await expect(watch()).rejects.toThrow('bitcoin_regtest has replaced all of the last 7 blocks we know')
    expect(await cursor()).toEqual(before)
    expect(await seen()).toEqual([['initiated', mined.hash]])
    expect(reorgs).toEqual([])
  })

  test('between two headers of one response is rejected', async () => {
    await watch()
    chain.grow(3)
    const before = await cursor()
    const { headers } = chain
    chain.headers = async (heights) => {
      const old = await headers(heights)
      chain.drop(3)
      chain.grow(4)
      chain.headers = headers
      return [...old.slice(0, 2), ...(await headers(heights)).slice(2)]
    }
    await expect(watch()).rejects.toThrow('is reorganising')
    expect(await cursor()).toEqual(before)
    await catchUp()
    expect(await cursor()).toEqual(await chain.tip())
  })

  const QUESTIONS = 4
  const moments = Array.from({ length: QUESTIONS }, (_, index) => index + 1)
  test.each(moments.flatMap((moment) => [0, 1].map((deposits) => ({ moment, deposits }))))(
    'before request $moment of a poll, of a block with $deposits deposits, removes the old events and misses no new one',
    async ({ moment, deposits }) => {
      await watch()
      const other = (await putOrder(store.db)).order
      chain.mine(...[deposit()].slice(0, deposits))
      let asked = 0
      const replaceTip = () => {
        asked += 1
        if (asked !== moment) return
        chain.drop(1)
        chain.mine(sightingsOf(other.source.swapId).initiated())
      }
      for (const question of ['tip', 'headers', 'events', 'unconfirmedEvents'] as const) chain.before[question] = replaceTip
      await watch()
      expect(asked).toBeGreaterThanOrEqual(moment)
      await catchUp()
      await catchUp()
      expect(await cursor()).toEqual(await chain.tip())
      expect(await seen()).toEqual([])
      expect(await seen(other)).toEqual([['initiated', (await chain.tip()).hash]])
    },
  )
})

test('an unreachable node moves nothing', async () => {
  await watch()
  const before = await cursor()
  chain.mine(deposit())
  for (const question of ['tip', 'headers', 'events', 'unconfirmedEvents'] as const) {
    chain.before[question] = () => {
      throw new Error('no answer')
    }
    await expect(watch()).rejects.toThrow('no answer')
    delete chain.before[question]
  }
  expect(await cursor()).toEqual(before)
  await watch()
  expect(await seen()).toHaveLength(1)
})
