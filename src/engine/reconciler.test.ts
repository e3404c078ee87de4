import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { signedGrant } from '../protocol/grants.fixture.ts'
import type { Leg, Role } from '../protocol/order.ts'
import { localAssets, localChains } from '../protocol/registry/local.ts'
import { createRegistry } from '../protocol/registry/registry.ts'
import { LATE_DEPOSIT_WATCH_SECONDS } from '../protocol/state.ts'
import { addGrant } from '../store/orders/grants.ts'
import { findOrder } from '../store/orders/orders.ts'
import { NOW, openTestStore, putOrder, type TestStore } from '../store/store.fixture.ts'
import { type EngineFixture, openEngineFixture, registry } from './engine.fixture.ts'
import { reconcile } from './reconciler.ts'

let store: TestStore
let fixture: EngineFixture
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())
beforeEach(async () => {
  fixture = await openEngineFixture(store, { source: { userAddress: 'where refunds go' } })
})

const reconcileAs = (role: Role, now = NOW) => reconcile(store.db, registry, role, now)
const wanted = async () =>
  (await store.db.selectFrom('actions').select(['order_id', 'leg', 'verb']).where('wanted', '=', true).orderBy('key').execute()).map(
    ({ order_id, leg, verb }) => `${order_id === fixture.order.id ? '' : 'other '}${verb} ${leg}`,
  )
const unsigned = async (...legs: readonly Leg[]) => {
  for (const leg of legs) fixture.chainOf(leg).mine(fixture.events(leg).deposit)
  await fixture.watch()
}
const closed = async () => (await findOrder(store.db, fixture.order.id))?.closed

describe('wanted actions', () => {
  test.each<{ name: string; role: Role; happen: () => Promise<void>; expected: string[] }>([
    { name: 'none for an order without a deposit', role: 'solver', happen: () => fixture.watch(), expected: [] },
    {
      name: 'the solver initiates after a deposit',
      role: 'solver',
      happen: () => fixture.fund('source'),
      expected: ['initiate destination'],
    },
    {
      name: 'none of the solver for a deposit that it has not signed for',
      role: 'solver',
      happen: () => unsigned('source'),
      expected: [],
    },
    {
      name: 'none of the service for such a deposit, though the solver has paid',
      role: 'service',
      happen: () => unsigned('source', 'destination'),
      expected: [],
    },
    { name: 'none of the service when only the source is initiated', role: 'service', happen: () => fixture.fund('source'), expected: [] },
    {
      name: 'the service redeems when both legs are initiated',
      role: 'service',
      happen: () => fixture.fund('source', 'destination'),
      expected: ['redeem destination'],
    },
    {
      name: 'none of the solver when both legs are initiated',
      role: 'solver',
      happen: () => fixture.fund('source', 'destination'),
      expected: [],
    },
  ])('$name', async ({ role, happen, expected }) => {
    await happen()
    expect(await reconcileAs(role)).toMatchObject({ newlyWanted: expected.length > 0 })
    expect(await wanted()).toEqual(expected)
    expect(await reconcileAs(role)).toMatchObject({ newlyWanted: false })
    expect(await wanted()).toEqual(expected)
  })

  test('change when the chains do', async () => {
    await fixture.fund('source')
    await reconcileAs('solver')
    fixture.ethereum.mine(fixture.events('destination').deposit)
    fixture.ethereum.mine(fixture.events('destination').redeem)
    await fixture.watch()
    expect(await reconcileAs('solver')).toMatchObject({ newlyWanted: true })
    expect(await wanted()).toEqual(['redeem source'])
    fixture.bitcoin.drop(1)
    fixture.bitcoin.grow(2)
    await fixture.watch()
    await reconcileAs('solver')
    expect(await wanted()).toEqual([])
  })

  test('cover several orders', async () => {
    const { order } = await putOrder(store.db, { source: { chain: 'ethereum_localnet' }, destination: { chain: 'bitcoin_regtest' } })
    await fixture.fund('source', 'destination')
    await addGrant(store.db, order.id, signedGrant('s'))
    await reconcileAs('service')
    expect((await wanted()).sort()).toEqual(['other initiate source', 'redeem destination'])
  })

  test('skip an order on a chain that is no longer served', async () => {
    const { order } = await putOrder(store.db)
    await addGrant(store.db, order.id, signedGrant('s'))
    await fixture.fund('source', 'destination')
    const without = createRegistry({
      chains: localChains,
      assets: localAssets,
      deployments: {},
      served: new Set(['bitcoin_regtest', 'arbitrum_localnet']),
    })
    expect(await reconcile(store.db, without, 'service', NOW)).toMatchObject({ newlyWanted: false })
    expect(await reconcileAs('service')).toMatchObject({ newlyWanted: true })
  })
})

describe('an order is closed', () => {
  test('when the spends of both legs are final, and not a block earlier', async () => {
    await fixture.fund('source', 'destination')
    fixture.ethereum.mine(fixture.events('destination').redeem)
    fixture.bitcoin.mine(fixture.events('source').redeem)
    fixture.ethereum.grow(fixture.ethereum.chain.finalityBlocks - 1)
    fixture.bitcoin.grow(fixture.bitcoin.chain.finalityBlocks - 2)
    await fixture.watch()
    await reconcileAs('solver')
    expect(await closed()).toBe(false)
    fixture.bitcoin.grow(1)
    await fixture.watch()
    await reconcileAs('solver')
    expect(await closed()).toBe(true)
    expect(await wanted()).toEqual([])
  })

  test('when it is unfunded and both chains have passed the end of the watch for late deposits', async () => {
    await fixture.watch()
    const last = fixture.order.deadline + LATE_DEPOSIT_WATCH_SECONDS
    const setTipTime = (chain: string, time: bigint) => store.db.updateTable('blocks').set({ time }).where('chain', '=', chain).execute()
    await setTipTime(fixture.order.source.chain, last + 1n)
    await setTipTime(fixture.order.destination.chain, last)
    await reconcileAs('solver', last + 1n)
    expect(await closed()).toBe(false)
    await setTipTime(fixture.order.destination.chain, last + 1n)
    await reconcileAs('solver', last + 1n)
    expect(await closed()).toBe(true)
  })

  test('never while a deposit is unspent', async () => {
    await fixture.fund('source')
    await reconcileAs('service', fixture.order.deadline + 10n * LATE_DEPOSIT_WATCH_SECONDS)
    expect(await closed()).toBe(false)
  })
})
