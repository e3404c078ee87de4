/** Tests watcher, reconciler and executor together. */
import { gate } from '@tandem/runtime/gate.fixture.ts'
import { testLog } from '@tandem/runtime/test-log.fixture.ts'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { readAction } from '../store/actions/actions.ts'
import { readAttempts } from '../store/actions/attempts.ts'
import type { Database } from '../store/database/database.ts'
import { recordOwnFill } from '../store/orders/fills.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { statementsOf } from '../store/statements.fixture.ts'
import { closeAnyway, NOW, putOrder, sightingsOf } from '../store/store.fixture.ts'
import { type EngineFixture, freshEngine, registry } from './engine.fixture.ts'
import { type Engine, startEngine } from './engine.ts'

const store = sharedStore()
const fixture = freshEngine(store)
let logged: string[]
const engines: Engine[] = []
beforeEach(async () => {
  logged = []
})
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.stop()))
  vi.restoreAllMocks()
})

function start(
  clients: EngineFixture['clients'] = fixture.clients,
  db: Database = store.db,
  onActivity: (chain: string) => void = () => undefined,
): Engine {
  const { party } = fixture.context('solver')
  const log = testLog((line) => logged.push(line))
  const engine = startEngine({ db, registry, clients, party, log, now: () => NOW, onActivity })
  engines.push(engine)
  return engine
}

const eventually = (assertion: () => unknown) => vi.waitFor(assertion, { timeout: 150_000, interval: 20 })
const key = () => `${fixture.order.id}/destination/initiate`
const pay = () => fixture.deposit('source')

/** Waits to check that something does not happen. On a slow machine this can miss a failure, but never causes one. */
const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 1000))

describe('an engine', () => {
  test('executes wanted actions and records them', async () => {
    start()
    await pay()
    await eventually(() => expect(fixture.ethereum.broadcast).toEqual(['initiate 1']))
    await eventually(async () => expect(await readAction(store.db, key())).toMatchObject({ lastTx: 'initiate 1' }))
  })

  test('retries an action after an unexpected error', async () => {
    const errors = [new TypeError('first bug'), new TypeError('second bug')]
    fixture.ethereum.before.initiate = () => {
      const error = errors.shift()
      if (error !== undefined) throw error
    }
    start()
    await pay()
    await eventually(() => expect(fixture.ethereum.broadcast).toEqual(['initiate 1']))
    expect(logged.join('')).toContain('second bug')
  })

  test('keeps running when a chain cannot be read, and logs that once', async () => {
    let failures = 0
    fixture.bitcoin.before.tip = () => {
      failures += 1
      if (failures <= 3) throw new Error('no answer')
    }
    start()
    await pay()
    await eventually(() => expect(fixture.ethereum.broadcast).toEqual(['initiate 1']))
    expect(logged.filter((line) => line.includes('cannot read chain'))).toHaveLength(1)
    expect(logged.filter((line) => line.includes('chain is back'))).toHaveLength(1)
  })

  test('collects what it is owed, although a row says that it took its payment back before the user redeemed it', async () => {
    await fixture.fund('source', 'destination')
    fixture.ethereum.mine(fixture.events('destination').redeem)
    await fixture.watch()
    await sql`insert into events (chain, tx, index, swap_id, kind, deposit, block_height, block_hash, block_time)
      select chain, 'forged', index, swap_id, 'refunded', deposit, block_height, block_hash, block_time
      from events where swap_id = ${fixture.order.destination.swapId} and kind = 'initiated'`.execute(store.db)
    start()
    await eventually(() => expect(fixture.bitcoin.broadcast).toEqual(['redeem 1']))
  })

  test('logs a reorg', async () => {
    start()
    await eventually(() => expect(fixture.bitcoin.asked.filter((question) => question === 'tip').length).toBeGreaterThan(1))
    fixture.bitcoin.drop(2)
    fixture.bitcoin.grow(3)
    await eventually(() => expect(logged.join('')).toContain('reorg: blocks removed'))
  })
})

describe('between polls', () => {
  const NEVER_MS = 3_600_000
  let announce: () => void

  /** These chains announce blocks, and their next regular poll never comes. */
  function silentChains(): EngineFixture['clients'] {
    const listeners: (() => void)[] = []
    announce = () => {
      for (const onBlock of listeners) onBlock()
    }
    const newBlocks = (onBlock: () => void) => {
      listeners.push(onBlock)
      return () => void listeners.splice(listeners.indexOf(onBlock), 1)
    }
    return new Map([...muteChains()].map(([id, client]) => [id, { ...client, newBlocks }]))
  }

  /** These chains announce nothing, and their next regular poll never comes. */
  function muteChains(): EngineFixture['clients'] {
    return new Map([...fixture.clients].map(([id, client]) => [id, { ...client, chain: { ...client.chain, pollMs: NEVER_MS } }]))
  }
  const polls = () => [fixture.bitcoin, fixture.ethereum].map(({ asked }) => asked.filter((question) => question === 'tip').length)
  const settle = () => new Promise<void>((resolve) => setTimeout(resolve, 100))

  test('a new block is read at once', async () => {
    const engine = start(silentChains())
    await engine.ready()
    await pay()
    announce()
    await eventually(() => expect(fixture.ethereum.broadcast).toEqual(['initiate 1']))
  })

  test('a hint is enough where nodes say nothing, and the chain of a sent transaction is polled soon', async () => {
    const active: string[] = []
    const engine = start(muteChains(), store.db, (chain) => active.push(chain))
    await engine.ready()
    await pay()
    let sentAt = Number.POSITIVE_INFINITY
    fixture.ethereum.before['answer to broadcast'] = () => {
      sentAt = fixture.ethereum.asked.length
    }
    engine.wakeChain('bitcoin_regtest')
    await eventually(() => expect(fixture.ethereum.broadcast).toEqual(['initiate 1']))
    await eventually(() => expect(fixture.ethereum.asked.slice(sentAt)).toContain('tip'))
    expect(active).toEqual(['bitcoin_regtest', 'ethereum_localnet'])
  })

  test('a new block is ignored while no order is open, and a new order is watched at once', async () => {
    await closeAnyway(store.db, fixture.order.id)
    const engine = start(silentChains())
    await engine.ready()
    await settle()
    const before = polls()
    for (let block = 0; block < 3; block++) announce()
    await settle()
    expect(polls()).toEqual(before)
    engine.wake()
    await settle()
    expect(polls()).toEqual(before)
    await putOrder(store.db)
    engine.wake()
    await eventually(() => expect(polls()).toEqual(before.map((count) => count + 1)))
    announce()
    await eventually(() => expect(polls()).toEqual(before.map((count) => count + 2)))
  })

  test('a flood of blocks causes few polls', async () => {
    const engine = start(silentChains())
    await engine.ready()
    const before = polls()
    for (let block = 0; block < 100; block++) {
      announce()
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
    await settle()
    for (const [index, count] of polls().entries()) expect(count - (before[index] ?? 0)).toBeLessThanOrEqual(8)
  })

  test('a hint costs no request while nodes say when there is a block', async () => {
    const engine = start(silentChains())
    await engine.ready()
    const first = polls()
    announce()
    await eventually(() => expect(polls()).toEqual(first.map((count) => count + 1)))
    const before = polls()
    for (let hints = 0; hints < 10; hints++) engine.wakeChain('bitcoin_regtest')
    await settle()
    expect(polls()).toEqual(before)
  })

  test('a flood of hints causes few polls, and one about an unknown chain is ignored', async () => {
    const engine = start(muteChains())
    await engine.ready()
    const [bitcoin = 0, ethereum = 0] = polls()
    engine.wakeChain('dogecoin')
    for (let hints = 0; hints < 100; hints++) {
      engine.wakeChain('bitcoin_regtest')
      await new Promise<void>((resolve) => setTimeout(resolve, 10))
    }
    await eventually(() => expect(polls()[0]).toBeGreaterThan(bitcoin))
    expect(polls()[0]).toBeLessThanOrEqual(bitcoin + 8)
    expect(polls()[1]).toBe(ethereum)
  })

  test('the process that follows the chain polls when another one asks', async () => {
    let polledByFirst = 0
    const counting = [...silentChains()].map(([id, client]) => {
      const tip = () => {
        polledByFirst += 1
        return client.tip()
      }
      return [id, { ...client, tip }] as const
    })
    await start(new Map(counting)).ready()
    const second = start(silentChains(), store.other)
    await second.ready()
    await settle()
    const before = polledByFirst
    await eventually(() => {
      second.wakeChain('bitcoin_regtest')
      expect(polledByFirst).toBeGreaterThan(before)
    })
  })

  test('an engine that is alone sends no signal', async () => {
    const engine = start(muteChains())
    await engine.ready()
    // Before its first pass the engine does not know that it is alone.
    await eventually(async () => expect((await statementsOf(settle)).join()).toContain('take_orders'))
    const statements = await statementsOf(async () => {
      engine.wakeChain('bitcoin_regtest')
      engine.expectOrders(['bitcoin_regtest'])
      await settle()
    })
    expect(statements.filter((text) => text.includes('pg_notify'))).toEqual([])
  })

  describe('of two engines, one of which watches the chains', () => {
    let first: Engine
    beforeEach(async () => {
      first = start()
      await first.ready()
      await eventually(async () =>
        expect(await store.db.selectFrom('leases').where('name', 'like', 'watch %').selectAll().execute()).toHaveLength(2),
      )
      await start(fixture.clients, store.other).ready()
    })

    test('the other leaves to it what is new', async () => {
      await eventually(async () => {
        const statements = await statementsOf(pause)
        const passes = statements.filter((text) => text.includes('take_orders'))
        expect(passes.some((text) => text.includes('"upToMark":null'))).toBe(true)
        expect(passes.some((text) => /"upToMark":"\d+"/.test(text))).toBe(true)
      })
    })

    test('it signals no orders on its chains', async () => {
      const notified = async (chain: string) =>
        (
          await statementsOf(async () => {
            first.expectOrders([chain])
            await settle()
          })
        ).filter((text) => text.includes('pg_notify')).length
      await eventually(async () => expect(await notified('dogecoin')).toBe(1))
      expect(await notified('bitcoin_regtest')).toBe(0)
    })
  })

  test('an engine that is alone dispatches once a second while an order only waits', async () => {
    const dispatches = async (work: () => Promise<void>) =>
      (await statementsOf(work)).filter((text) => text.includes('with redeem_chains')).length
    await start(muteChains()).ready()
    // Before its first passes the engine does not know of the order, or whether it is alone.
    for (let seen = 0; seen < 2; ) seen += await dispatches(settle)
    const beganAtMs = performance.now()
    const count = await dispatches(async () => {
      for (let waits = 0; waits < 17; waits++) await settle()
    })
    expect(count).toBeLessThanOrEqual((performance.now() - beganAtMs) / 1000 + 1)
  })

  test('a new order makes only the watchers of its chains read what to expect', async () => {
    await closeAnyway(store.db, fixture.order.id)
    const engine = start(muteChains())
    await engine.ready()
    await settle()
    const isReading = (text: string) => text.includes('with newest as')
    const readings = async (chains: readonly string[], expected: number) => {
      const statements = await statementsOf(async (sent) => {
        engine.expectOrders(chains)
        for (const chain of ['bitcoin_regtest', 'ethereum_localnet']) engine.wakeChain(chain)
        await eventually(() => expect(sent().filter(isReading).length).toBeGreaterThanOrEqual(expected))
        for (let waits = 0; waits < 5; waits++) await settle()
      })
      return statements.filter(isReading).length
    }
    expect(await readings(['bitcoin_regtest', 'bitcoin_regtest', 'dogecoin'], 1)).toBe(1)
    expect(await readings(['bitcoin_regtest', 'ethereum_localnet'], 2)).toBe(2)
  })

  test('a pass for a new block searches for orders that are due by its chain, not by all', async () => {
    const engine = start(silentChains())
    await engine.ready()
    await eventually(async () => {
      const statements = await statementsOf(async () => {
        fixture.bitcoin.grow(1)
        engine.wakeChain('bitcoin_regtest')
        await settle()
      })
      expect(statements.join()).toContain('"chains":["bitcoin_regtest"]')
    })
  })

  test('nobody listens to blocks after the engine stopped', async () => {
    const engine = start(silentChains())
    await engine.ready()
    await engine.stop()
    const before = polls()
    announce()
    await settle()
    expect(polls()).toEqual(before)
  })
})

describe('a chain', () => {
  test('is healthy while it answers: not before the first answer, and not after 25 s without one', async () => {
    let time = 1_000_000
    vi.spyOn(Date, 'now').mockImplementation(() => time)
    const engine = start()
    expect(engine.chainHealthy('bitcoin_regtest')).toBe(false)
    await eventually(() => expect(engine.chainHealthy('bitcoin_regtest')).toBe(true))
    await eventually(() => expect(engine.chainHealthy('ethereum_localnet')).toBe(true))
    const silent = gate()
    fixture.bitcoin.before.tip = () => {
      silent.open()
      throw new Error('no answer')
    }
    await silent.opened
    expect(engine.chainHealthy('bitcoin_regtest')).toBe(true)
    time += 24_000
    expect(engine.chainHealthy('bitcoin_regtest')).toBe(true)
    time += 1000
    expect(engine.chainHealthy('bitcoin_regtest')).toBe(false)
    await eventually(() => expect(engine.chainHealthy('ethereum_localnet')).toBe(true))
    expect(engine.chainHealthy('bitcoin_regtest')).toBe(false)
    delete fixture.bitcoin.before.tip
    await eventually(() => expect(engine.chainHealthy('bitcoin_regtest')).toBe(true))
    expect(engine.chainHealthy('dogecoin')).toBe(false)
  })

  test('that answers with another history is not healthy', async () => {
    let time = 1_000_000
    vi.spyOn(Date, 'now').mockImplementation(() => time)
    const engine = start()
    await eventually(() => expect(engine.chainHealthy('bitcoin_regtest')).toBe(true))
    fixture.bitcoin.drop(50)
    fixture.bitcoin.grow(60)
    await eventually(() => expect(logged.join('')).toContain('this is another chain than before'))
    time += 25_000
    await eventually(() => expect(engine.chainHealthy('ethereum_localnet')).toBe(true))
    expect(engine.chainHealthy('bitcoin_regtest')).toBe(false)
  })
})

describe('overload', () => {
  test('refuses new orders while work waits, finishes the orders that exist, and then accepts again', async () => {
    const SLOTS = 48
    const orders = []
    for (let count = 0; count < SLOTS + 6; count += 1) orders.push((await putOrder(store.db)).order)
    const broadcasts = gate()
    fixture.ethereum.before.broadcast = () => broadcasts.opened
    const engine = start()
    await engine.ready()
    expect(engine.admits('order')).toBe(true)
    const deposits = orders.map(({ source }) => sightingsOf(source.swapId).initiated(source.terms.amount))
    const { hash: blockHash } = fixture.bitcoin.mine(...deposits)
    for (const [index, { id, destination }] of orders.entries()) {
      const fill = { deposits: [deposits[index]?.deposit ?? ''], blockHash, destinationAmount: destination.terms.amount }
      await recordOwnFill(store.db, id, fill, { amount: destination.terms.amount, swapId: destination.swapId }, "the solver's word")
    }
    engine.wakeChain('bitcoin_regtest')
    await eventually(() => expect(engine.admits('quote')).toBe(false))
    expect(engine.admits('order')).toBe(false)
    expect(logged.join('')).toContain('overloaded: refusing new orders')
    broadcasts.open()
    await eventually(() => expect(fixture.ethereum.broadcast.length).toBeGreaterThanOrEqual(orders.length))
    await eventually(() => {
      expect(engine.admits('order')).toBe(true)
      expect(logged.filter((line) => line.includes('overloaded'))).toHaveLength(2)
    })
  })
})

describe('stopping', () => {
  function hang(question: 'tip' | 'initiate' | 'sign' | 'broadcast') {
    const [begun, go] = [gate(), gate()]
    let count = 0
    fixture.ethereum.before[question] = () => {
      count += 1
      if (count > 1) return undefined
      begun.open()
      return go.opened
    }
    return { begun, go }
  }
  const held = async () => [
    ...(await store.db.selectFrom('leases').select('name').execute()).map(({ name }) => name),
    ...(await store.db.selectFrom('actions').select('key').where('lease_holder', 'is not', null).execute()).map(({ key }) => key),
  ]

  // On a simulated chain each execution signs once more, also where a real one sends what is on record again.
  test.each([
    { question: 'initiate', first: [], last: ['initiate 1'] },
    { question: 'sign', first: [], last: ['initiate 1'] },
    { question: 'broadcast', first: ['initiate 1'], last: ['initiate 1', 'initiate 2'] },
  ] as const)(
    'leaves an action whose node does not answer to the next engine, and does not wait for it: $question',
    async ({ question, first: recorded, last }) => {
      const attempts = async () => (await readAttempts(store.db, key())).map(({ tx }) => tx)
      const { begun, go } = hang(question)
      const first = start()
      await pay()
      await begun.opened
      await first.stop()
      expect(await held()).toEqual([])
      expect(await attempts()).toEqual(recorded)
      start(fixture.clients, store.other)
      await eventually(() => expect(fixture.ethereum.broadcast).toEqual(last.slice(-1)))
      go.open()
      await pause()
      expect(await attempts()).toEqual(last)
    },
  )

  test('leaves a chain whose node does not answer to the next engine, and does not take it again', async () => {
    const first = start()
    await first.ready()
    await pay()
    await eventually(() => expect(fixture.ethereum.broadcast).toEqual(['initiate 1']))
    const { begun, go } = hang('tip')
    first.wakeChain(fixture.ethereum.chain.id)
    await begun.opened
    await first.handOver()
    expect(await held()).toEqual([])
    go.open()
    await first.stop()
    expect(await held()).toEqual([])
  })

  test('makes no request afterwards', async () => {
    const engine = start()
    await pay()
    await eventually(() => expect(fixture.ethereum.broadcast).toEqual(['initiate 1']))
    await engine.stop()
    expect(await held()).toEqual([])
    const after = [fixture.bitcoin.asked.length, fixture.ethereum.asked.length]
    engine.wake()
    await pause()
    expect([fixture.bitcoin.asked.length, fixture.ethereum.asked.length]).toEqual(after)
  })

  test('leaves unfinished actions to the next engine', async () => {
    fixture.ethereum.before.initiate = () => {
      throw new Error('not today')
    }
    const first = start()
    await pay()
    await eventually(() => expect(fixture.ethereum.asked).toContain('initiate'))
    await first.stop()
    expect(fixture.ethereum.broadcast).toEqual([])
    delete fixture.ethereum.before.initiate
    start()
    await eventually(() => expect(fixture.ethereum.broadcast).toEqual(['initiate 1']))
  })
})
