/** Tests which keys of solvers are listed. */
import { localChains } from '@tandem/families/registry.ts'
import { registry } from '@tandem/party/engine/engine.fixture.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { NOW, putOrder } from '@tandem/party/store/store.fixture.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFakeChain } from '../testing/fake-chain.fixture.ts'
import { followPayments } from './follow-payments.ts'
import { createSolverKeys, followSolverKeys, type SolverKeys } from './solver-keys.ts'

const BITCOIN = 'bitcoin_regtest'
const ETHEREUM = 'ethereum_localnet'
const clients = new Map(
  localChains.map((chain) => [chain.id, createFakeChain(chain, chain.clock.unit === 'blocks' ? 'order-key' : 'account')]),
)
const log = createLogger({ name: 'test', level: 'silent' })
const key = (digit: number) => digit.toString(16).padStart(64, '0')

const store = sharedStore()
let keys: SolverKeys
beforeEach(() => {
  keys = createSolverKeys({ db: store.db, clients, log })
})
afterEach(() => store.db.deleteFrom('solver_keys').execute())

test('a rotated key stays listed, after a restart too, and each is listed once', async () => {
  await keys.add('first', [[BITCOIN, key(1)]])
  await keys.add('first', [[BITCOIN, key(2)]])
  await keys.add('second', [[BITCOIN, key(1)]])
  expect(keys.of(BITCOIN)).toEqual([key(1), key(2)])
  const restarted = createSolverKeys({ db: store.db, clients, log })
  expect(restarted.of(BITCOIN)).toEqual([])
  await restarted.refresh()
  expect(restarted.of(BITCOIN)).toEqual([key(1), key(2)])
})

test('texts that are no key, and keys of other chains or of chains where parties are accounts, are left out', async () => {
  await keys.add('first', [
    [BITCOIN, 'not a key'],
    ['moon', key(1)],
    [ETHEREUM, `0x${'5'.repeat(40)}`],
  ])
  for (const chain of [BITCOIN, 'moon', ETHEREUM]) expect(keys.of(chain)).toEqual([])
})

test('a solver that names a new key each time fills no table, and displaces no other solver', async () => {
  for (let digit = 1; digit <= 20; digit += 1) await keys.add('first', [[BITCOIN, key(digit)]])
  expect(keys.of(BITCOIN)).toHaveLength(16)
  // This is another process that has not read the keys yet.
  await createSolverKeys({ db: store.db, clients, log }).add('first', [[BITCOIN, key(99)]])
  await keys.add('second', [[BITCOIN, key(98)]])
  expect(keys.of(BITCOIN)).toHaveLength(17)
  expect(keys.of(BITCOIN)).toContain(key(98))
})

test('solvers are asked for their keys: one that is silent at first is asked again', async () => {
  let isSilent = true
  const solvers = [
    { id: 'first', health: async () => ({ solver_id: 'first', keys: { [BITCOIN]: key(1) } }) },
    {
      id: 'second',
      async health() {
        if (isSilent) throw new Error('silent')
        return { solver_id: 'second', keys: { [BITCOIN]: key(2) } }
      },
    },
    { id: 'old', health: async () => ({ solver_id: 'old' }) },
  ]
  const following = followSolverKeys({ solvers, log, firstPollMs: 5 }, keys)
  await expect.poll(() => keys.of(BITCOIN)).toEqual([key(1)])
  isSilent = false
  await expect.poll(() => keys.of(BITCOIN)).toEqual([key(1), key(2)])
  await following.stop()
})

test('a solver that never answers does not cause that all are asked every two seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const living = { id: 'living', health: vi.fn(async () => ({ solver_id: 'living' })) }
    const dead = { id: 'dead', health: vi.fn(() => Promise.reject(new Error('gone'))) }
    const unkept = { of: () => [], add: async () => undefined, refresh: async () => undefined }
    const following = followSolverKeys({ solvers: [living, dead], log }, unkept)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(dead.health.mock.calls.length).toBeGreaterThan(2)
    await vi.advanceTimersByTimeAsync(600_000)
    expect(dead.health.mock.calls.length).toBeGreaterThan(8)
    expect(living.health.mock.calls.length).toBeLessThan(18)
    await following.stop()
  } finally {
    vi.useRealTimers()
  }
})

test('the watch gets each order whose status changed since, and is called without one too', async () => {
  const { order: before } = await putOrder(store.db)
  await record(before.id)
  const seen: (readonly OrderState[])[] = []
  const follower = followPayments(
    { db: store.db, registry, log: createLogger({ name: 'test', level: 'silent' }), now: () => NOW, pollMs: 20 },
    (states) => seen.push(states),
  )
  await expect.poll(() => seen.length, { timeout: 60_000 }).toBeGreaterThan(1)
  expect(seen.flat()).toEqual([])
  const { order } = await putOrder(store.db)
  await record(order.id)
  await expect.poll(() => seen.flat().map((state) => state.order.id), { timeout: 60_000 }).toEqual([order.id])
  await follower.stop()
})

async function record(orderId: string): Promise<void> {
  await store.db.insertInto('order_events').values({ app: 'shop', order_id: orderId, status: 'initiated', at: new Date() }).execute()
}
