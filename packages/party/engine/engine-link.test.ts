/** Tests how an API process sees and wakes the engines of other processes. */
import { createLogger } from '@tandem/runtime/log.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { leaseEngine } from '../store/actions/engines.ts'
import { openSignals } from '../store/database/signals.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { NOW } from '../store/store.fixture.ts'
import { freshEngine, registry } from './engine.fixture.ts'
import { type Engine, startEngine } from './engine.ts'
import { type EngineLink, openEngineLink } from './engine-link.ts'

const store = sharedStore()
const fixture = freshEngine(store)
let link: EngineLink
let derived: number
const log = createLogger({ name: 'test', level: 'silent' })
const closes: (() => Promise<void>)[] = []
beforeEach(async () => {
  derived = 0
  link = openEngineLink({ db: store.other, log, onDerived: () => (derived += 1) })
  closes.push(() => link.stop())
})
afterEach(async () => {
  for (const close of closes.splice(0).reverse()) await close()
  await store.db.deleteFrom('leases').execute()
})

function start(): Engine {
  const { clients } = fixture
  const { party } = fixture.context('solver')
  const engine = startEngine({ db: store.db, registry, clients, party, log, now: () => NOW, onDerived: () => undefined })
  closes.push(() => engine.stop())
  return engine
}

const eventually = (assertion: () => unknown) => vi.waitFor(assertion, { timeout: 150_000, interval: 20 })

test('sees whether an engine lives, what it knows of its chains, and when it has ended', async () => {
  expect(link.problem()).toContain('no engine is running')
  expect(link.chainHealthy('ethereum_localnet')).toBe(false)
  const engine = start()
  await link.ready()
  expect(link.problem()).toBeNull()
  await eventually(() => expect(link.chainHealthy('ethereum_localnet')).toBe(true))
  expect(link.chainHealthy('unknown')).toBe(false)
  const { tip } = engine.chainStatus('ethereum_localnet') ?? {}
  expect(tip).not.toBeNull()
  await eventually(() => expect(link.chainStatus('ethereum_localnet')).toMatchObject({ tip, isHealthy: true, problem: null }))
  expect([link.admits('quote'), link.admits('order')]).toEqual([true, true])
  await engine.stop()
  await eventually(() => expect(link.problem()).toContain('no engine is running'))
})

test('an engine signals derived orders', async () => {
  start()
  await link.ready()
  await fixture.deposit('source')
  await eventually(() => expect(derived).toBeGreaterThan(0))
})

test('refuses orders while the work of an engine waits, and shows its chains without their errors', async () => {
  const silent = { tip: null, isLeasedElsewhere: false, isHealthy: false, silentMs: 90_000 }
  const reported = { ...silent, recordedHeight: '7', isToldOfBlocks: true }
  await leaseEngine(store.db, 'busy', 60, { waitMs: 3000, chains: { a: reported } })
  await leaseEngine(store.db, 'idle', 60, { waitMs: 0, chains: {} })
  await eventually(() => expect(link.admits('quote')).toBe(false))
  expect(link.problem()).toBeNull()
  const problem = 'the engine cannot read it; its log says why'
  expect(link.chainStatus('a')).toEqual({ ...silent, recordedHeight: 7n, isAnnounced: true, problem })
})

test('asks the engines to watch and to reconcile', async () => {
  const heard: string[] = []
  const signals = openSignals(store.db, (signal) => heard.push(signal))
  closes.push(() => signals.close())
  await eventually(() => {
    link.expectOrders(['a', 'b', 'a'])
    link.wake()
    expect(new Set(heard)).toEqual(new Set(['orders a b', 'wake']))
  })
})
