import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { signedGrant } from '../protocol/grants.fixture.ts'
import type { Leg, Role } from '../protocol/order.ts'
import { localAssets, localChains } from '../protocol/registry/local.ts'
import { createRegistry } from '../protocol/registry/registry.ts'
import { LATE_DEPOSIT_WATCH_SECONDS } from '../protocol/state.ts'
import { addGrant } from '../store/orders/grants.ts'
import { findOrder } from '../store/orders/orders.ts'
import { NOW, openTestStore, putOrder, type TestStore } from '../store/store.fixture.ts'
import { openScene, registry, type Scene } from './engine.fixture.ts'
import { reconcile } from './reconciler.ts'

let store: TestStore
let scene: Scene
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())
beforeEach(async () => {
  scene = await openScene(store, { source: { userAddress: 'where refunds go' } })
})

const look = (role: Role, now = NOW) => reconcile(store.db, registry, role, now)
const wanted = async () =>
  (await store.db.selectFrom('actions').select(['order_id', 'leg', 'verb']).where('wanted', '=', true).orderBy('key').execute()).map(
    ({ order_id, leg, verb }) => `${order_id === scene.order.id ? '' : 'other '}${verb} ${leg}`,
  )
const unsigned = async (...legs: readonly Leg[]) => {
  for (const leg of legs) scene.chainOf(leg).mine(scene.events(leg).deposit)
  await scene.watch()
}
const closed = async () => (await findOrder(store.db, scene.order.id))?.closed

describe('what is wanted', () => {
  test.each<{ name: string; role: Role; happen: () => Promise<void>; expected: string[] }>([
    { name: 'nothing of an order without a deposit', role: 'solver', happen: () => scene.watch(), expected: [] },
    { name: 'that the solver follows a deposit', role: 'solver', happen: () => scene.fund('source'), expected: ['initiate destination'] },
    {
      name: 'nothing of the solver for a deposit that it has not signed for',
      role: 'solver',
      happen: () => unsigned('source'),
      expected: [],
    },
    {
      name: 'nothing of the service then, though the solver has paid',
      role: 'service',
      happen: () => unsigned('source', 'destination'),
      expected: [],
    },
    { name: 'nothing of the service when only the source is there', role: 'service', happen: () => scene.fund('source'), expected: [] },
    {
      name: 'that the service redeems when both are there',
      role: 'service',
      happen: () => scene.fund('source', 'destination'),
      expected: ['redeem destination'],
    },
    { name: 'nothing of the solver then', role: 'solver', happen: () => scene.fund('source', 'destination'), expected: [] },
  ])('$name', async ({ role, happen, expected }) => {
    await happen()
    expect(await look(role)).toMatchObject({ newlyWanted: expected.length > 0 })
    expect(await wanted()).toEqual(expected)
    expect(await look(role)).toMatchObject({ newlyWanted: false })
    expect(await wanted()).toEqual(expected)
  })

  test('changes when the chains do', async () => {
    await scene.fund('source')
    await look('solver')
    scene.ethereum.mine(scene.events('destination').deposit)
    scene.ethereum.mine(scene.events('destination').redeem)
    await scene.watch()
    expect(await look('solver')).toMatchObject({ newlyWanted: true })
    expect(await wanted()).toEqual(['redeem source'])
    scene.bitcoin.drop(1)
    scene.bitcoin.grow(2)
    await scene.watch()
    await look('solver')
    expect(await wanted()).toEqual([])
  })

  test('can be wanted of several orders', async () => {
    const { order } = await putOrder(store.db, { source: { chain: 'ethereum_localnet' }, destination: { chain: 'bitcoin_regtest' } })
    await scene.fund('source', 'destination')
    await addGrant(store.db, order.id, signedGrant('s'))
    await look('service')
    expect((await wanted()).sort()).toEqual(['other initiate source', 'redeem destination'])
  })

  test('is found out although an order is on a chain that is not served any more', async () => {
    const { order } = await putOrder(store.db)
    await addGrant(store.db, order.id, signedGrant('s'))
    await scene.fund('source', 'destination')
    const without = createRegistry({
      chains: localChains,
      assets: localAssets,
      deployments: {},
      served: new Set(['bitcoin_regtest', 'arbitrum_localnet']),
    })
    expect(await reconcile(store.db, without, 'service', NOW)).toMatchObject({ newlyWanted: false })
    expect(await look('service')).toMatchObject({ newlyWanted: true })
  })
})

describe('an order is closed', () => {
  test('when both sides are spent for good, and not a block earlier', async () => {
    await scene.fund('source', 'destination')
    scene.ethereum.mine(scene.events('destination').redeem)
    scene.bitcoin.mine(scene.events('source').redeem)
    scene.ethereum.grow(scene.ethereum.chain.finalityBlocks - 1)
    scene.bitcoin.grow(scene.bitcoin.chain.finalityBlocks - 2)
    await scene.watch()
    await look('solver')
    expect(await closed()).toBe(false)
    scene.bitcoin.grow(1)
    await scene.watch()
    await look('solver')
    expect(await closed()).toBe(true)
    expect(await wanted()).toEqual([])
  })

  test('when nobody funded it and the chains have gone on until a late deposit need not be expected any more', async () => {
    await scene.watch()
    const last = scene.order.deadline + LATE_DEPOSIT_WATCH_SECONDS
    const hear = (chain: string, time: bigint) => store.db.updateTable('blocks').set({ time }).where('chain', '=', chain).execute()
    await hear(scene.order.source.chain, last + 1n)
    await hear(scene.order.destination.chain, last)
    await look('solver', last + 1n)
    expect(await closed()).toBe(false)
    await hear(scene.order.destination.chain, last + 1n)
    await look('solver', last + 1n)
    expect(await closed()).toBe(true)
  })

  test('never while a deposit is unspent', async () => {
    await scene.fund('source')
    await look('service', scene.order.deadline + 10n * LATE_DEPOSIT_WATCH_SECONDS)
    expect(await closed()).toBe(false)
  })
})
