/** Tests what a watcher that remembers its last poll reads from the node and the database. */

import type { BranchEvents, FinalHeight, UnconfirmedEvents } from '@tandem/chain-kit/port/abilities/reading.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { Order } from '@tandem/protocol/order.ts'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { readCursor, readEvents } from '../store/chain/events.ts'
import { findOrder } from '../store/orders/orders.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { closeAnyway, NOW, putOrder, sightingsOf } from '../store/store.fixture.ts'
import { createMemoryChain, type MemoryChain } from './chain.fixture.ts'
import { createPollMemory, type PollMemory } from './poll-memory.ts'
import { createWatchList, type WatchList } from './watch-list.ts'
import { pollChain } from './watcher.ts'

const id = 'ethereum_localnet'
const SECRET = '5e'.repeat(32)
const store = sharedStore()
/** The nodes show no mempool, and return events by the hash of a block. */
let chain: Omit<MemoryChain, 'unconfirmedEvents' | 'branchEvents' | 'finalHeight'> & {
  branchEvents: BranchEvents
  finalHeight?: FinalHeight
  unconfirmedEvents?: UnconfirmedEvents
}
let unconfirmedEvents: UnconfirmedEvents | undefined
let order: Order
let list: WatchList
let memory: PollMemory
let branchEvents: BranchEvents
let reorgs: number
let current: string[]
let messages: { mock: { readonly calls: unknown[] }; mockClear(): void }
let timeMs: number
beforeEach(async () => {
  for (const table of ['events', 'blocks', 'leases', 'swaps', 'orders'] as const) await store.db.deleteFrom(table).execute()
  order = (await putOrder(store.db)).order
  const { unconfirmedEvents: unconfirmed, ...rest } = createMemoryChain(id, NOW)
  unconfirmedEvents = unconfirmed
  branchEvents = async (watched, from, end, heights) => {
    const events = await chain.events(watched, from, end.height)
    return { events, headers: heights.length === 0 ? [] : await chain.headers(heights) }
  }
  chain = { ...rest, branchEvents }
  list = createWatchList(store.db, chain.chain)
  memory = createPollMemory()
  reorgs = 0
  current = []
  timeMs = 0
  messages = vi.spyOn(pg.Client.prototype, 'query')
  vi.spyOn(performance, 'now').mockImplementation(() => timeMs)
})

afterEach(() => vi.restoreAllMocks())

const watch = (holder = 'me', with_: { list: WatchList; memory: PollMemory; isBackground?: boolean } = { list, memory }) =>
  pollChain({
    db: store.db,
    client: chain,
    holder,
    ...with_,
    onCurrent: ({ hash }) => void current.push(hash),
    onReorg: () => {
      reorgs += 1
    },
  })
const asked = async (poll: () => Promise<unknown>) => {
  chain.asked.length = 0
  messages.mockClear()
  await poll()
  return chain.asked
}
const sightings = () => sightingsOf(order.destination.swapId)
const recorded = async () =>
  [...(await readEvents(store.db, [order.destination])).values()].flat().map((event) => [event.kind, event.block?.hash])
const tipHash = async () => (await chain.tip()).hash

describe('a poll', () => {
  test('of an unchanged newest block is one request and no query', async () => {
    await watch()
    expect(await asked(watch)).toEqual(['tip'])
    expect(messages).not.toHaveBeenCalled()
    expect(current).toEqual([await tipHash(), await tipHash()])
  })

  test('renews the lease and compares the watch list from time to time', async () => {
    await watch()
    timeMs += 2000
    await asked(watch)
    expect(chain.asked).toEqual(['tip'])
    expect(messages).toHaveBeenCalled()
    const other = (await putOrder(store.db)).order
    timeMs += 5000
    await watch()
    const { swapId } = other.destination
    expect((await list.find({ swapIds: [swapId], spent: [] })).bySwapId(swapId)).toBeDefined()
  })

  test('of the block after the cursor reads its events by its hash, and no header', async () => {
    await watch()
    const mined = chain.mine(sightings().initiated())
    expect(await asked(watch)).toEqual(['tip', `events ${mined.height}-${mined.height}`])
    expect(messages).toHaveBeenCalledTimes(2)
    expect(await readCursor(store.db, id)).toEqual(mined)
    expect(await recorded()).toEqual([['initiated', mined.hash]])
    expect(current.at(-1)).toBe(mined.hash)
  })

  test('of a block on another branch than the cursor finds the fork', async () => {
    await watch()
    chain.mine(sightings().initiated())
    await watch()
    chain.drop(1)
    chain.grow(1)
    const mined = chain.mine(sightings().initiated())
    while ((await watch()).behind);
    expect(reorgs).toBe(1)
    expect(await recorded()).toEqual([['initiated', mined.hash]])
    expect(await readCursor(store.db, id)).toEqual(mined)
  })

  test('that finds an event in another block than the one it read records nothing', async () => {
    await watch()
    const before = await readCursor(store.db, id)
    chain.branchEvents = async (...args) => {
      const { events } = await branchEvents(...args)
      return { events: events.map((event) => ({ ...event, block: event.block && { ...event.block, hash: 'another' } })), headers: [] }
    }
    chain.mine(sightings().initiated())
    await watch()
    expect(await readCursor(store.db, id)).toEqual(before)
    expect(current).toHaveLength(1)
    chain.branchEvents = branchEvents
    await watch()
    expect(await recorded()).toHaveLength(1)
  })
})

describe('a poll of the mempool', () => {
  beforeEach(async () => {
    if (unconfirmedEvents !== undefined) chain.unconfirmedEvents = unconfirmedEvents
    await watch()
    chain.mempool.push(sightings().initiated())
    await watch()
    expect(await recorded()).toEqual([['initiated', undefined]])
  })

  test('neither writes nor asks the database while it stays the same', async () => {
    expect(await asked(watch)).toEqual(['tip', 'unconfirmedEvents'])
    expect(messages).not.toHaveBeenCalled()
    expect(current).toHaveLength(3)
  })

  test('is not made while nothing is expected in it: one request and no query', async () => {
    chain.mempool.length = 0
    chain.mine(sightings().initiated(), sightings().redeemed(SECRET))
    timeMs += 5000
    await watch()
    timeMs += 5000
    await watch()
    expect(list.expectsUnconfirmed).toBe(false)
    expect(await asked(watch)).toEqual(['tip'])
    expect(messages).not.toHaveBeenCalled()
  })

  test('deletes what is gone, once the blocks of that moment are read', async () => {
    chain.mempool.length = 0
    await watch()
    expect(await recorded()).toEqual([['initiated', undefined]])
    await watch()
    expect(await recorded()).toEqual([])
  })

  test('keeps a secret that another witness of the same transaction shows', async () => {
    const spend = { ...sightings().redeemed(SECRET), tx: 'spend' }
    chain.mempool.push({ ...sightings().refunded(), tx: 'spend' })
    await watch()
    chain.mempool.splice(1, 1, spend)
    await watch()
    expect((await findOrder(store.db, order.id))?.seenSecret).toBe(SECRET)
  })

  test('writes again what another process deleted while it had the lease', async () => {
    await store.db.deleteFrom('events').execute()
    timeMs += 60_000
    await watch()
    expect(await recorded()).toHaveLength(1)
  })
})

describe('while no order is open', () => {
  const pollInBackground = () => watch('me', { list, memory, isBackground: true })
  beforeEach(async () => {
    await closeAnyway(store.db, order.id)
    await watch()
  })

  test('a poll is one request and no query, with or without new blocks, and records them once a minute', async () => {
    const before = await readCursor(store.db, id)
    for (let poll = 0; poll < 5; poll++) {
      chain.grow(3)
      timeMs += 10_000
      expect(await asked(pollInBackground)).toEqual(['tip'])
      expect(messages).not.toHaveBeenCalled()
    }
    expect(await readCursor(store.db, id)).toEqual(before)
    expect(current).toHaveLength(1)
    timeMs += 10_000
    await pollInBackground()
    expect(await readCursor(store.db, id)).toEqual(await chain.tip())
  })

  test('a poll that somebody waits for records the newest block', async () => {
    chain.grow(3)
    await watch()
    expect(await readCursor(store.db, id)).toEqual(await chain.tip())
  })

  test('a reorg is followed at once', async () => {
    chain.drop(1)
    chain.grow(1)
    while ((await pollInBackground()).behind);
    expect(reorgs).toBe(1)
  })
})

describe('with several providers', () => {
  let seen: () => Promise<Block>
  const pollInBackground = () => watch('me', { list, memory, isBackground: true })
  const tipNow = async () => {
    const block = await chain.tip()
    chain.asked.pop()
    return block
  }
  const pollsUntilRecorded = async () => {
    const mined = chain.mine()
    for (let polls = 1; polls <= 20; polls++) {
      timeMs += chain.chain.pollMs
      await pollInBackground()
      if ((await readCursor(store.db, id))?.hash === mined.hash) return polls
    }
    throw new Error('the new block is never recorded')
  }
  beforeEach(async () => {
    seen = tipNow
    chain.tipHint = () => {
      chain.asked.push('tipHint')
      return seen()
    }
    await watch()
  })

  test('one is asked whether there is a new block, and all at every fifth poll', async () => {
    const polls: string[] = []
    for (let poll = 0; poll < 10; poll++) polls.push(...(await asked(pollInBackground)))
    expect(polls).toEqual([...Array(4).fill('tipHint'), 'tip', ...Array(4).fill('tipHint'), 'tip'])
    timeMs += 30_000
    expect(await asked(pollInBackground)).toEqual(['tip'])
  })

  test('a poll that somebody waits for asks all, and only such a poll counts as current', async () => {
    const before = current.length
    await pollInBackground()
    expect(current).toHaveLength(before)
    expect(await asked(watch)).toEqual(['tip'])
    expect(current).toHaveLength(before + 1)
  })

  test('a new block that one has seen is recorded at once, as all see it', async () => {
    const forged = { ...(await chain.tip()), hash: 'forged' }
    seen = async () => ({ ...(await tipNow()), time: 1n })
    expect(await pollsUntilRecorded()).toBe(1)
    expect(await readCursor(store.db, id)).toEqual(await chain.tip())
    seen = async () => forged
    await pollInBackground()
    expect(await readCursor(store.db, id)).toEqual(await chain.tip())
    expect(reorgs).toBe(0)
  })

  test('one that is ahead makes all be asked, and changes nothing', async () => {
    const tip = await chain.tip()
    seen = async () => ({ ...tip, height: tip.height + 1000n, hash: 'ahead' })
    for (let poll = 0; poll < 3; poll++) await pollInBackground()
    expect(await readCursor(store.db, id)).toEqual(tip)
    expect(reorgs).toBe(0)
  })

  test('one that hides new blocks delays us by five polls at most, even if only that one is asked', async () => {
    const stuck = await chain.tip()
    seen = async () => stuck
    expect(await pollsUntilRecorded()).toBe(5)
  })

  test('one that dies delays nothing: the poll fails, and the next one asks again', async () => {
    seen = () => Promise.reject(new ChainFailure('unreachable', 'no provider answers'))
    await expect(pollInBackground()).rejects.toMatchObject({ kind: 'unreachable' })
    seen = tipNow
    expect(await pollsUntilRecorded()).toBe(1)
  })
})

describe('events of recent blocks that are returned again', () => {
  const returnFrom = (height: bigint) => {
    chain.branchEvents = (watched, _, ...rest) => branchEvents(watched, height, ...rest)
  }

  test('are not checked again', async () => {
    await watch()
    const mined = chain.mine(sightings().initiated())
    await watch()
    const cursor = chain.mine()
    await watch()
    returnFrom(mined.height)
    const next = chain.grow(6)
    await asked(watch)
    expect(chain.asked).toEqual(['tip', `events ${mined.height}-${next.height}`, `headers ${cursor.height} ${next.height}`])
    expect(await recorded()).toEqual([['initiated', mined.hash]])
  })

  test('are recorded if they were missing before: a backend of the provider was behind', async () => {
    await watch()
    const mined = chain.mine(sightings().initiated())
    chain.branchEvents = async () => ({ events: [], headers: [] })
    await watch()
    expect(await recorded()).toEqual([])
    returnFrom(mined.height)
    chain.grow(6)
    expect((await watch()).changed).toBe(true)
    expect(await recorded()).toEqual([['initiated', mined.hash]])
  })
})

describe('the finality tag', () => {
  let reads: number
  const finalReads = async (ms: number) => {
    reads = 0
    for (const end = timeMs + ms; timeMs < end; timeMs += chain.chain.pollMs) await watch()
    return reads
  }
  beforeEach(() => {
    chain.finalHeight = async () => {
      reads += 1
      return 1010n
    }
  })

  test('is read by the first poll, and then only while a swap has a deposit', async () => {
    expect(await finalReads(chain.chain.pollMs * 20)).toBe(1)
    expect((await readCursor(store.db, id))?.finalHeight).toBe(1010n)
    chain.mine(sightings().initiated())
    await watch()
    expect((await readCursor(store.db, id))?.finalHeight).toBe(1010n)
    expect(await finalReads(chain.chain.pollMs * 20)).toBe(2)
  })

  test('that is not read keeps its recorded height', async () => {
    await finalReads(chain.chain.pollMs)
    chain.grow(1)
    await watch()
    chain.grow(20)
    await watch()
    expect((await readCursor(store.db, id))?.finalHeight).toBe(1010n)
  })
})

test('what another process recorded after our lease ran out is read from the database', async () => {
  await watch()
  await store.db.deleteFrom('leases').execute()
  const theirs = { list: createWatchList(store.db, chain.chain), memory: createPollMemory() }
  const mined = chain.mine(sightings().initiated())
  await watch('other', theirs)
  chain.mine(sightings().redeemed(SECRET))
  timeMs += 3000
  await watch()
  expect(await readCursor(store.db, id)).toEqual(mined)
  timeMs += 60_000
  await store.db.deleteFrom('leases').execute()
  await watch()
  expect(await readCursor(store.db, id)).toEqual(await chain.tip())
  expect((await recorded()).map(([kind]) => kind).sort()).toEqual(['initiated', 'redeemed'])
})

test('a process that wrongly believes in its lease writes nothing over what another recorded', async () => {
  await watch()
  const theirs = { list: createWatchList(store.db, chain.chain), memory: createPollMemory() }
  await store.db.deleteFrom('leases').execute()
  const mined = chain.mine(sightings().initiated())
  await watch('other', theirs)
  chain.grow(1)
  expect(await watch()).toEqual({ changed: true, behind: true })
  expect(await readCursor(store.db, id)).toEqual(mined)
})
