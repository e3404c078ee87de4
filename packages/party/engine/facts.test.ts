/** Tests the evidence that is read from a chain before a signature. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { Order } from '@tandem/protocol/order.ts'
import type { OrderFacts } from '@tandem/protocol/state.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { NOW, putOrder, sightingsOf, storedOrder, withResults } from '../store/store.fixture.ts'
import { createMemoryChain, type MemoryChain } from './chain.fixture.ts'
import type { FreshPolls } from './chain-watcher.ts'
import { registry } from './engine.fixture.ts'
import { clientFor, loadFacts, loadLiveFacts } from './facts.ts'
import { pollChain } from './watcher.ts'

const store = sharedStore()
let bitcoin: MemoryChain
let ethereum: MemoryChain
let order: Order
beforeEach(async () => {
  for (const table of ['events', 'blocks', 'leases', 'swaps', 'orders'] as const) await store.db.deleteFrom(table).execute()
  bitcoin = createMemoryChain('bitcoin_regtest', NOW)
  ethereum = createMemoryChain('ethereum_localnet', NOW)
  order = (await putOrder(store.db)).order
})

const clients = () => new Map([bitcoin, ethereum].map((client) => [client.chain.id, client]))
const watch = (client: MemoryChain) => pollChain({ db: store.db, client, holder: 'me', onReorg: () => undefined })
const watchBoth = () => Promise.all([watch(bitcoin), watch(ethereum)])
const stored = () => storedOrder(store.db, order.id)
const live = async (...mayBeOld: readonly ('source' | 'destination')[]) =>
  loadLiveFacts({ db: store.db, registry, clients: clients(), now: () => NOW }, await stored(), mayBeOld)
const deposit = () => sightingsOf(order.source.swapId).initiated()
const redeem = () => sightingsOf(order.source.swapId).redeemed('5e'.repeat(32))
const brief = (events: readonly HtlcEvent[]) => events.map((event) => [event.kind, event.block?.hash ?? null])
const sourceOf = (facts: OrderFacts) => ({ height: facts.tips.source.height, events: brief(facts.events.source) })

describe('live facts', () => {
  test('need a chain that was watched before', async () => {
    await watch(bitcoin)
    await expect(live()).rejects.toThrow(expect.objectContaining({ kind: 'unreachable' }))
  })

  test('include events newer than the watcher has recorded, confirmed or not', async () => {
    const first = bitcoin.mine(deposit())
    await watchBoth()
    expect(sourceOf(await live())).toEqual({ height: first.height, events: [['initiated', first.hash]] })
    const second = bitcoin.mine(redeem())
    expect(sourceOf(await live())).toEqual({
      height: second.height,
      events: [
        ['initiated', first.hash],
        ['redeemed', second.hash],
      ],
    })
    bitcoin.drop(1)
    bitcoin.mempool = [redeem()]
    expect(sourceOf(await live())).toEqual({
      height: first.height,
      events: [
        ['initiated', first.hash],
        ['redeemed', null],
      ],
    })
  })

  test('take an event in a block and in the mempool as mined', async () => {
    await watchBoth()
    bitcoin.mempool = [deposit()]
    const mined = bitcoin.mine(deposit())
    expect(sourceOf(await live()).events).toEqual([['initiated', mined.hash]])
  })

  test('omit an unconfirmed event that is gone from the mempool', async () => {
    bitcoin.mempool = [deposit()]
    await watchBoth()
    bitcoin.mempool = []
    expect(sourceOf(await live()).events).toEqual([])
  })

  test('are refused when the block of an event is no longer canonical', async () => {
    bitcoin.mine(deposit())
    await watchBoth()
    bitcoin.grow(3)
    await watch(bitcoin)
    bitcoin.drop(4)
    bitcoin.grow(6)
    await expect(live()).rejects.toThrow(/bitcoin_regtest is reorganising/)
    await watch(bitcoin)
    await watch(bitcoin)
    expect(sourceOf(await live())).toEqual({ height: (await bitcoin.tip()).height, events: [] })
  })

  test('are refused when the cursor is no longer canonical: an event may have moved', async () => {
    await watchBoth()
    bitcoin.drop(1)
    bitcoin.mine(deposit())
    await expect(live()).rejects.toThrow(/is reorganising/)
  })

  test.each([1, 2, 3, 4, 5, 6])('are consistent or refused when a reorg happens before request %s', async (moment) => {
    bitcoin.mine(deposit())
    await watchBoth()
    const old = { height: bitcoin.mine().height, events: [...sourceOf(await live()).events] }
    let asked = 0
    for (const question of ['tip', 'headers', 'events', 'unconfirmedEvents'] as const)
      bitcoin.before[question] = () => {
        asked += 1
        if (asked !== moment) return
        bitcoin.drop(1)
        bitcoin.mine(redeem())
        bitcoin.grow(1)
      }
    const result = await live().then(sourceOf, (error: unknown) => error)
    bitcoin.before.tip = bitcoin.before.headers = bitcoin.before.events = bitcoin.before.unconfirmedEvents = () => undefined
    if (moment <= asked) expect(sourceOf(await live()).events).toHaveLength(2)
    const consistent = [old, sourceOf(await live())]
    if (!(result instanceof ChainFailure)) expect(consistent).toContainEqual(result)
  })

  test('miss no event that the watcher records after the database was read', async () => {
    await watchBoth()
    bitcoin.mine(deposit())
    let queries = 0
    const db = withResults(store.db, async () => {
      queries += 1
      await watch(bitcoin)
    })
    const facts = await loadLiveFacts({ db, registry, clients: clients(), now: () => NOW }, await stored(), [])
    expect(facts.events.source).toHaveLength(1)
    expect(queries).toBe(1)
  })

  test.each([
    { tookMs: 100, acceptedMs: 1_000, goodMs: 2_000 },
    { tookMs: 1_000, acceptedMs: 2_000, goodMs: 4_000 },
    { tookMs: 3_000, acceptedMs: 6_000, goodMs: 12_000 },
    // Half of the margins of an action on the local Bitcoin chain.
    { tookMs: 9_000, acceptedMs: 10_000, goodMs: 15_000 },
  ])('of nodes whose polls take $tookMs ms: a poll of the last $acceptedMs ms is taken, and good for $goodMs', async (pace) => {
    await watchBoth()
    const asked: number[] = []
    const pollsOf = (client: MemoryChain): FreshPolls => ({
      tookMs: pace.tookMs,
      seen: () => [],
      async fresh(maxAgeMs) {
        asked.push(maxAgeMs)
        return { tip: await client.tip(), beganAtMs: performance.now() }
      },
    })
    const polls = new Map([bitcoin, ethereum].map((client) => [client.chain.id, pollsOf(client)]))
    const view = { db: store.db, registry, clients: clients(), now: () => NOW, polls }
    expect((await loadLiveFacts(view, await stored(), [])).goodForMs).toBe(pace.goodMs)
    expect(asked).toEqual([pace.acceptedMs, pace.acceptedMs])
    await loadLiveFacts({ ...view, acceptedAgeMs: 0 }, await stored(), [])
    expect(asked.slice(2)).toEqual([0, 0])
  })

  test.each(['source', 'destination'] as const)('of a slow %s alone are good for as long as of two slow chains', async (slow) => {
    await watchBoth()
    const { order } = await stored()
    const pollsOf = (client: MemoryChain): FreshPolls => ({
      tookMs: client.chain.id === order[slow].chain ? 3_000 : 100,
      seen: () => [],
      fresh: async () => ({ tip: await client.tip(), beganAtMs: performance.now() }),
    })
    const polls = new Map([bitcoin, ethereum].map((client) => [client.chain.id, pollsOf(client)]))
    const view = { db: store.db, registry, clients: clients(), now: () => NOW, polls }
    expect((await loadLiveFacts(view, await stored(), [])).goodForMs).toBe(12_000)
  })

  describe('when a node is unreachable', () => {
    const silence = () => {
      throw new ChainFailure('unreachable', 'no answer')
    }

    test('are refused', async () => {
      await watchBoth()
      ethereum.before.tip = silence
      await expect(live()).rejects.toThrow('no answer')
    })

    test('are the recorded ones for the leg that may be old, and for no other', async () => {
      const mined = bitcoin.mine(deposit())
      await watchBoth()
      bitcoin.mine(redeem())
      bitcoin.before.tip = silence
      await expect(live('destination')).rejects.toThrow('no answer')
      expect(sourceOf(await live('source'))).toEqual({ height: mined.height, events: [['initiated', mined.hash]] })
    })

    test('a bug is not taken for an unreachable node', async () => {
      await watchBoth()
      bitcoin.before.tip = () => {
        throw new TypeError('a bug')
      }
      await expect(live('source')).rejects.toThrow('a bug')
    })
  })
})

test('facts from the store are what the watchers have recorded', async () => {
  const mined = bitcoin.mine(deposit())
  await watch(bitcoin)
  bitcoin.mine(redeem())
  const [facts] = await loadFacts(store.db, registry, [await stored()], NOW)
  expect(facts && sourceOf(facts)).toEqual({ height: mined.height, events: [['initiated', mined.hash]] })
  expect(facts?.tips.destination).toEqual({ height: 0n, time: 0n })
})

test('a chain without a connection is named', () => {
  expect(() => clientFor(clients(), 'dogecoin')).toThrow('no connection is configured for dogecoin')
})
