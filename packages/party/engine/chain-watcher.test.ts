/** Tests how actions share polls: which poll they get, and which facts they read from it. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Order } from '@tandem/protocol/order.ts'
import { sql } from 'kysely'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { readActionFacts } from '../store/actions/action-facts.ts'
import { readCursor } from '../store/chain/events.ts'
import { publishPoll, readClock } from '../store/chain/polls.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { statementsOf } from '../store/statements.fixture.ts'
import { closeAnyway, NOW, putOrder, sightingsOf, storedOrder } from '../store/store.fixture.ts'
import { createMemoryChain, type MemoryChain } from './chain.fixture.ts'
import { type ChainWatcher, startChainWatcher } from './chain-watcher.ts'
import { registry } from './engine.fixture.ts'
import { type LiveView, loadLiveFacts } from './facts.ts'
import { createLeases } from './leases.ts'
import { pollChain } from './watcher.ts'

const store = sharedStore()
let bitcoin: MemoryChain
let ethereum: MemoryChain
let order: Order
let watchers: ChainWatcher[]
beforeEach(async () => {
  for (const table of ['events', 'blocks', 'leases', 'polls', 'swaps', 'orders'] as const) await store.db.deleteFrom(table).execute()
  bitcoin = createMemoryChain('bitcoin_regtest', NOW)
  ethereum = createMemoryChain('ethereum_localnet', NOW)
  order = (await putOrder(store.db)).order
  watchers = []
  lost = []
})
afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(watchers.map((watcher) => watcher.stop()))
})

let lost: object[]
let isAlone = false
function start(chain: MemoryChain, holder = 'me', pollMs = 3_600_000, blockMs = chain.chain.blockMs): ChainWatcher {
  const client = { ...chain, chain: { ...chain.chain, pollMs, blockMs } }
  const log = pino({ level: 'silent' })
  const watcher = startChainWatcher({
    db: store.db,
    client,
    leases: createLeases(store.db, holder),
    log,
    isAlone: () => isAlone,
    onChange: () => undefined,
    onEvents: () => undefined,
    onReorg: ({ counted }) => void lost.push(...counted),
  })
  watchers.push(watcher)
  return watcher
}
const liveBy = (polls: ReadonlyMap<string, ChainWatcher>, ...mayBeOld: readonly ('source' | 'destination')[]) => liveOf({ polls }, mayBeOld)
const liveOf = async (how: Pick<LiveView, 'polls' | 'acceptedAgeMs'>, mayBeOld: readonly ('source' | 'destination')[] = []) => {
  const clients = new Map([bitcoin, ethereum].map((client) => [client.chain.id, client]))
  const stored = await storedOrder(store.db, order.id)
  return loadLiveFacts({ db: store.db, registry, clients, now: () => NOW, ...how }, stored, mayBeOld)
}
const publishedAgeMs = async () => (await readActionFacts(store.db, { orderId: order.id, key: null }))?.legs.source.publishedAgeMs ?? null
const startBoth = () =>
  new Map([
    [bitcoin.chain.id, start(bitcoin)],
    [ethereum.chain.id, start(ethereum)],
  ])
const asksFor = (chain: MemoryChain, question: string) => chain.asked.filter((one) => one.startsWith(question)).length
const tipsAsked = () => asksFor(bitcoin, 'tip')
const deposit = () => sightingsOf(order.source.swapId).initiated()

/** Resolves when the next call of `tip` has begun. The call is answered when `answer` is called. */
function holdTip(): { readonly begun: Promise<void>; answer(): void } {
  let answer = () => undefined as unknown
  let begin = () => undefined as unknown
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  bitcoin.before.tip = () => {
    delete bitcoin.before.tip
    begin()
    return answered
  }
  return { begun, answer }
}

describe('a fresh poll', () => {
  test('is the last one, if it began at most so long ago', async () => {
    const watcher = start(bitcoin)
    const first = await watcher.fresh(60_000)
    expect(first?.tip).toEqual(await bitcoin.tip())
    const before = tipsAsked()
    expect(await watcher.fresh(60_000)).toBe(first)
    expect(tipsAsked()).toBe(before)
    const second = await watcher.fresh(-1)
    expect(second?.beganAtMs).toBeGreaterThan(first?.beganAtMs ?? 0)
    expect(tipsAsked()).toBe(before + 1)
  })

  test('is one for all who wait for it', async () => {
    const watcher = start(bitcoin)
    await watcher.fresh(60_000)
    const before = tipsAsked()
    const polls = await Promise.all(Array.from({ length: 20 }, () => watcher.fresh(-1)))
    expect(new Set(polls).size).toBe(1)
    expect(tipsAsked()).toBe(before + 1)
  })

  test('is not the one in progress if that began too early: it may have missed an event', async () => {
    const watcher = start(bitcoin)
    await watcher.fresh(60_000)
    const held = holdTip()
    const early = watcher.fresh(-1)
    await held.begun
    const mined = bitcoin.mine(deposit())
    const late = watcher.fresh(-1)
    held.answer()
    expect((await late)?.beganAtMs).toBeGreaterThan((await early)?.beganAtMs ?? Number.POSITIVE_INFINITY)
    expect((await late)?.tip.hash).toBe(mined.hash)
  })

  test('is the one in progress if that began late enough', async () => {
    const watcher = start(bitcoin)
    await watcher.fresh(60_000)
    const held = holdTip()
    const early = watcher.fresh(-1)
    await held.begun
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 500_000)
    const late = watcher.fresh(1_000_000)
    held.answer()
    expect(await late).not.toBeNull()
    await early
  })

  test('fails as the poll does, and the next one is not taken from before the failure', async () => {
    const watcher = start(bitcoin)
    await watcher.fresh(60_000)
    bitcoin.before.tip = () => {
      throw new ChainFailure('unreachable', 'no answer')
    }
    await expect(watcher.fresh(-1)).rejects.toMatchObject({ kind: 'unreachable', message: 'no answer' })
    await expect(watcher.fresh(60_000)).rejects.toMatchObject({ kind: 'unreachable' })
    delete bitcoin.before.tip
    expect(await watcher.fresh(60_000)).not.toBeNull()
  })

  test('measures how long polls take: the slowest of the last few', async () => {
    let now = Math.floor(performance.now())
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    const watcher = start(bitcoin)
    await watcher.fresh(60_000)
    const took: number[] = []
    for (const answerMs of [4_000, 0, 0, 3_000]) {
      bitcoin.before.tip = () => {
        now += answerMs
      }
      await watcher.fresh(-1)
      took.push(watcher.tookMs)
    }
    expect(took).toEqual([4_000, 2_000, 1_000, 3_000])
  })

  test('is none while another process watches, after a reorg, and after a stop', async () => {
    const watcher = start(bitcoin)
    bitcoin.mine(deposit())
    await watcher.fresh(60_000)
    expect(await start(bitcoin, 'other').fresh(60_000)).toBeNull()
    bitcoin.drop(1)
    bitcoin.grow(2)
    expect(await watcher.fresh(-1)).toBeNull()
    expect(lost).toEqual([{ swapId: order.source.swapId, deposit: deposit().deposit }])
    expect(await watcher.fresh(-1)).not.toBeNull()
    const held = holdTip()
    const early = watcher.fresh(-1)
    await held.begun
    const [waiting, stopped] = [watcher.fresh(-1), watcher.stop()]
    held.answer()
    await stopped
    // Another process may watch the chain by then, so a poll that ends after the stop records nothing.
    expect(await early).toBeNull()
    expect(await waiting).toBeNull()
    expect(await watcher.fresh(-1)).toBeNull()
  })
})

describe('live facts', () => {
  test('are those of a poll, without a request of their own', async () => {
    const mined = bitcoin.mine(deposit())
    // With a fixed clock no poll becomes too old, however slow the machine is.
    const now = performance.now()
    vi.spyOn(performance, 'now').mockReturnValue(now)
    const polls = startBoth()
    await Promise.all([...polls.values()].map((watcher) => watcher.fresh(60_000)))
    const asked = [bitcoin.asked.length, ethereum.asked.length]
    const facts = await liveBy(polls)
    expect([bitcoin.asked.length, ethereum.asked.length]).toEqual(asked)
    expect(facts.events.source).toMatchObject([{ kind: 'initiated', block: { hash: mined.hash } }])
    const { parentHash: _, ...tip } = mined
    expect(facts.tips.source).toEqual(tip)
    expect(facts.asOfMs).toBe(now)
  })

  test('have an event that was mined after the last poll, once that poll is too old', async () => {
    const polls = startBoth()
    await Promise.all([...polls.values()].map((watcher) => watcher.fresh(60_000)))
    const mined = bitcoin.mine(deposit())
    const later = performance.now() + 1001
    vi.spyOn(performance, 'now').mockImplementation(() => later)
    const facts = await liveBy(polls)
    expect(facts.events.source).toMatchObject([{ block: { hash: mined.hash } }])
    expect(facts.asOfMs).toBe(later)
  })

  test('are refused when the poll fails, but for a leg that may be old', async () => {
    const polls = startBoth()
    await Promise.all([...polls.values()].map((watcher) => watcher.fresh(60_000)))
    bitcoin.before.tip = () => {
      throw new ChainFailure('unreachable', 'no answer')
    }
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 1001)
    await expect(liveBy(polls)).rejects.toMatchObject({ kind: 'unreachable' })
    expect((await liveBy(polls, 'source')).tips.source.height).toBeGreaterThan(0n)
  })

  test('are read from the chain after the record was changed by another process', async () => {
    const polls = startBoth()
    await Promise.all([...polls.values()].map((watcher) => watcher.fresh(60_000)))
    await store.db.deleteFrom('leases').execute()
    bitcoin.drop(1)
    const mined = bitcoin.mine(deposit())
    const other = start(bitcoin, 'other')
    while ((await other.fresh(-1)) === null);
    const asked = bitcoin.asked.length
    expect((await liveBy(polls)).events.source).toMatchObject([{ block: { hash: mined.hash } }])
    expect(bitcoin.asked.length).toBeGreaterThan(asked)
  })

  describe('of a process that does not watch the chain', () => {
    const others = async () => {
      const ours = startBoth()
      await Promise.all([...ours.values()].map((watcher) => watcher.fresh(60_000)))
      return new Map([
        [bitcoin.chain.id, start(bitcoin, 'other')],
        [ethereum.chain.id, start(ethereum, 'other')],
      ])
    }
    const publish = async (ageMs: number, hash?: string) => {
      for (const chain of [bitcoin, ethereum]) {
        const beganAt = (await readClock(store.db)) - ageMs
        await publishPoll(store.db, chain.chain.id, { hash: hash ?? (await chain.tip()).hash, beganAt })
      }
    }
    const readsItself = async (how: Pick<LiveView, 'polls' | 'acceptedAgeMs'>) => {
      const before = asksFor(bitcoin, 'headers')
      const facts = await liveOf(how)
      return { facts, read: asksFor(bitcoin, 'headers') > before }
    }

    test('are those of a published poll', async () => {
      const polls = await others()
      await publish(0)
      const { facts, read } = await readsItself({ polls, acceptedAgeMs: 60_000 })
      expect(read).toBe(false)
      expect(performance.now() - facts.asOfMs).toBeGreaterThan(0)
    })

    test('are those of a published poll, with what was recorded since', async () => {
      const polls = await others()
      await publish(700)
      const mined = bitcoin.mine(deposit())
      await store.db.deleteFrom('leases').execute()
      await pollChain({ db: store.db, client: bitcoin, holder: 'third', onReorg: () => undefined })
      const { facts, read } = await readsItself({ polls, acceptedAgeMs: 60_000 })
      expect(read).toBe(false)
      expect(facts.events.source).toMatchObject([{ kind: 'initiated', block: { hash: mined.hash } }])
      expect(performance.now() - facts.asOfMs).toBeGreaterThan(700)
    })

    test('are read from the chain if the published poll is old, or its newest block is not on record', async () => {
      const polls = await others()
      expect((await readsItself({ polls })).read).toBe(true)
      await publish(1501)
      expect((await readsItself({ polls })).read).toBe(true)
      await publish(0, 'another block')
      expect((await readsItself({ polls })).read).toBe(true)
    })
  })
})

describe('the pace', () => {
  const POLL_MS = 100
  const pollsIn = async (ms: number) => {
    const before = tipsAsked()
    await new Promise((resolve) => setTimeout(resolve, ms))
    return tipsAsked() - before
  }
  /** The polls are counted over the time of fifteen: on a busy machine a period may have fewer, or last longer and have more. */
  const expectPolls = async (many: 'few' | 'many', limit: number) => {
    const polls = expect.poll(() => pollsIn(15 * POLL_MS))
    await (many === 'many' ? polls.toBeGreaterThan(limit) : polls.toBeLessThanOrEqual(limit))
  }
  const announcingChain = () => {
    let onNewBlock = () => undefined as unknown
    const announcing: MemoryChain = {
      ...bitcoin,
      newBlocks: (onBlock) => {
        onNewBlock = onBlock
        return () => undefined
      },
    }
    return { announcing, announce: () => void onNewBlock() }
  }

  test('relaxes while no order is open, and a new order ends that at once', async () => {
    await closeAnyway(store.db, order.id)
    const watcher = start(bitcoin, 'me', POLL_MS)
    await expect.poll(() => watcher.answeredAtMs, { timeout: 60_000 }).toBeGreaterThan(0)
    expect(await pollsIn(5 * POLL_MS)).toBe(0)
    watcher.expectOrders()
    watcher.hint()
    expect(await pollsIn(5 * POLL_MS)).toBe(0)
    await putOrder(store.db)
    watcher.expectOrders()
    await expect.poll(() => pollsIn(3 * POLL_MS), { timeout: 60_000 }).toBeGreaterThan(0)
    await expectPolls('many', 3)
  })

  test('reads what to expect for a new order only if it may expect more than before', async () => {
    const { unconfirmedEvents: _, ...withoutMempool } = bitcoin
    const afterNewOrder = async (watcher: ChainWatcher, chain: MemoryChain) => {
      await watcher.fresh(0)
      const statements = await statementsOf(async () => {
        await putOrder(store.db)
        watcher.expectOrders()
        chain.mine()
        await watcher.fresh(0)
      })
      return statements.filter((text) => text.includes('expects_unconfirmed')).length
    }
    expect(await afterNewOrder(start(withoutMempool), bitcoin)).toBe(0)
    // The only swap is over, so nothing is expected in the mempool.
    for (const { id } of await store.db.selectFrom('orders').select('id').execute()) if (id !== order.id) await closeAnyway(store.db, id)
    const sightings = sightingsOf(order.destination.swapId)
    ethereum.mine(sightings.initiated())
    ethereum.mine(sightings.redeemed('the secret'))
    await pollChain({ db: store.db, client: ethereum, holder: 'me', onReorg: () => undefined })
    const searched = start(ethereum)
    expect(await afterNewOrder(searched, ethereum)).toBe(1)
    expect(await afterNewOrder(searched, ethereum)).toBe(0)
  })

  test('is set by every wake-up that finds an event, however many there are', async () => {
    const watcher = start(bitcoin)
    await expect.poll(() => watcher.answeredAtMs, { timeout: 60_000 }).toBeGreaterThan(0)
    for (let deposits = 1; deposits <= 20; deposits++) {
      bitcoin.mine({ ...deposit(), tx: `deposit ${deposits}`, deposit: `deposit ${deposits}` })
      const { hash } = await bitcoin.tip()
      watcher.hint()
      await expect.poll(async () => (await readCursor(store.db, bitcoin.chain.id))?.hash, { timeout: 60_000, interval: 5 }).toBe(hash)
    }
  })

  test('of a chain that is faster than our polls is full only while a swap is in progress', async () => {
    const watcher = start(bitcoin, 'me', POLL_MS, BigInt(POLL_MS) / 4n)
    await expect.poll(() => watcher.answeredAtMs, { timeout: 60_000 }).toBeGreaterThan(0)
    await expectPolls('few', 3)
    watcher.noteActivity()
    await pollsIn(5 * POLL_MS)
    await expectPolls('many', 3)
  })

  test('is slow while the nodes announce new blocks', async () => {
    const { announcing, announce } = announcingChain()
    const watcher = start(announcing, 'me', POLL_MS)
    await expect.poll(() => watcher.answeredAtMs, { timeout: 60_000 }).toBeGreaterThan(0)
    expect(watcher.isAnnounced).toBe(false)
    announce()
    expect(watcher.isAnnounced).toBe(true)
    await pollsIn(5 * POLL_MS)
    await expectPolls('few', 4)
  })

  test('is set by the last of many new blocks that the nodes announce at once', async () => {
    const { announcing, announce } = announcingChain()
    const HOUR_MS = 3_600_000
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const watcher = start(announcing, 'me', HOUR_MS)
    const reached = (hash: string) =>
      expect
        .poll(
          async () => {
            // All cooldowns end in this time. Together these advances are shorter than the polling interval of an hour.
            vi.advanceTimersByTime(1_000)
            return (await readCursor(store.db, bitcoin.chain.id))?.hash
          },
          { timeout: 60_000, interval: 20 },
        )
        .toBe(hash)
    await reached((await bitcoin.tip()).hash)
    for (let announced = 0; announced < 20; announced++) {
      const before = tipsAsked()
      announce()
      if (announced < 8) await expect.poll(tipsAsked, { timeout: 60_000, interval: 5 }).toBeGreaterThan(before)
    }
    bitcoin.mine()
    announce()
    vi.advanceTimersByTime(HOUR_MS)
    await reached((await bitcoin.tip()).hash)
    expect(watcher.isAnnounced).toBe(true)
  })

  test('of a fast chain is not set by its blocks while an order waits for its deposit', async () => {
    const { announcing, announce } = announcingChain()
    const watcher = start(announcing, 'me', POLL_MS, BigInt(POLL_MS) / 4n)
    await expect.poll(() => watcher.answeredAtMs, { timeout: 60_000 }).toBeGreaterThan(0)
    const timer = setInterval(announce, POLL_MS / 4)
    await expectPolls('few', 4)
    clearInterval(timer)
  })

  test('is not set by blocks, hints, orders or actions while another process watches', async () => {
    await start(bitcoin).fresh(60_000)
    // However long the test takes, the first process keeps the chain.
    await sql`update leases set until = now() + interval '1 day'`.execute(store.db)
    const { announcing, announce } = announcingChain()
    const other = start(announcing, 'other', POLL_MS)
    expect(await other.fresh(60_000)).toBeNull()
    const polls = async () => {
      const before = tipsAsked()
      for (const wake of [announce, other.hint, other.expectOrders]) wake()
      expect(await other.fresh(-1)).toBeNull()
      return (await pollsIn(5 * POLL_MS)) + tipsAsked() - before
    }
    // Every two seconds the other process looks whether the chain is free.
    await expect.poll(polls).toBe(0)
  })

  test('is full again after a failure, so that the chain is back soon', async () => {
    await closeAnyway(store.db, order.id)
    const watcher = start(bitcoin, 'me', POLL_MS)
    await expect.poll(() => watcher.answeredAtMs, { timeout: 60_000 }).toBeGreaterThan(0)
    bitcoin.before.tip = () => {
      throw new ChainFailure('unreachable', 'no answer')
    }
    await expect(watcher.fresh(-1)).rejects.toThrow('no answer')
    await expectPolls('many', 3)
  })
})

test('polls are published with a beginning that is not later than the true one', async () => {
  const startedAt = await readClock(store.db)
  start(bitcoin, 'me', 100)
  await expect.poll(publishedAgeMs, { timeout: 60_000 }).not.toBeNull()
  const ageMs = (await publishedAgeMs()) ?? 0
  expect(ageMs).toBeGreaterThan(0)
  expect(ageMs).toBeLessThan((await readClock(store.db)) - startedAt)
})

test('polls are published only while another process could read them', async () => {
  isAlone = true
  start(bitcoin, 'me', 100)
  await expect.poll(tipsAsked, { timeout: 60_000 }).toBeGreaterThan(15)
  expect(await publishedAgeMs()).toBeNull()
  isAlone = false
  await expect.poll(publishedAgeMs, { timeout: 60_000 }).not.toBeNull()
})
