/** Tests which actions the reconciler stores for what the chains show. */

import { localAssets, localChains } from '@tandem/families/registry.ts'
import { signedGrant } from '@tandem/protocol/grants.fixture.ts'
import type { Leg, Role } from '@tandem/protocol/order.ts'
import { createRegistry } from '@tandem/protocol/registry/registry.ts'
import { LATE_DEPOSIT_WATCH_SECONDS, type OrderState } from '@tandem/protocol/state.ts'
import { gate } from '@tandem/runtime/gate.fixture.ts'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { leaseAction } from '../store/actions/actions.ts'
import { addGrant } from '../store/orders/grants.ts'
import { findOrder } from '../store/orders/orders.ts'
import { deriveOrders, touchOrders } from '../store/orders/touched-orders.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { closeAnyway, NOW, putOrder } from '../store/store.fixture.ts'
import { type EngineFixture, openEngineFixture, registry } from './engine.fixture.ts'
import { executeAction } from './executor.ts'
import { ALL_SHARDS, reconcile } from './reconciler.ts'
import { createSweeper } from './sweeper.ts'

const store = sharedStore()
let fixture: EngineFixture
beforeEach(async () => {
  fixture = await openEngineFixture(store, { source: { userAddress: 'where refunds go' } })
})
afterEach(() => vi.restoreAllMocks())

/** At this time an order that changed at NOW is derived again, and its ranges are stored. */
const SETTLED = NOW + 2n

const reconcileAs = (role: Role, now = NOW) => reconcile({ db: store.db, registry, party: { role } }, now)
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

  test.each([
    { requiredConfirmations: 1, cancelling: false },
    { requiredConfirmations: 2, cancelling: true },
  ])('a mined initiation is checked again only below its confirmations: 1 of $requiredConfirmations', async (example) => {
    const { requiredConfirmations, cancelling } = example
    fixture = await openEngineFixture(store, { destination: { requiredConfirmations } })
    await fixture.fund('source')
    await reconcileAs('solver')
    const leased = await leaseAction(store.db, 'engine', 60)
    if (leased === null) throw new Error('nothing to lease')
    expect(await executeAction(fixture.context('solver'), leased)).toMatchObject({ kind: 'sent' })
    await fixture.fund('destination')
    await reconcileAs('solver')
    const row = store.db.selectFrom('actions').select(['wanted', 'cancelling']).where('key', '=', leased.key)
    expect(await row.executeTakeFirst()).toEqual({ wanted: false, cancelling })
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
    expect(await reconcile({ db: store.db, registry: without, party: { role: 'service' } }, NOW)).toMatchObject({ newlyWanted: false })
    expect(await reconcileAs('service')).toMatchObject({ newlyWanted: false })
    const inAMinute = Date.now() + 60_000
    vi.spyOn(Date, 'now').mockReturnValue(inAMinute)
    expect(await reconcileAs('service')).toMatchObject({ newlyWanted: true })
  })
})

describe('an order is derived', () => {
  let derived: string[][]
  const derivedNow = async (now = NOW, shards = ALL_SHARDS, again: ReadonlyMap<string, number> = new Map()) => {
    derived = []
    const onReconciled = (states: readonly OrderState[]) => {
      derived.push(states.map(({ order }) => order.id).sort())
      return again
    }
    await reconcile({ db: store.db, registry, party: { role: 'solver', onReconciled } }, now, { shards })
    return derived.flat()
  }

  test('after something was recorded about it, once', async () => {
    const { order: other } = await putOrder(store.db)
    await fixture.fund('source')
    expect(await derivedNow()).toEqual([fixture.order.id])
    expect(await derivedNow()).toEqual([])
    await addGrant(store.db, other.id, signedGrant('s'))
    expect(await derivedNow()).toEqual([other.id])
    expect(derived).toHaveLength(1)
  })

  test('when a block or a time comes at which it may change, and not before', async () => {
    await fixture.fund('source')
    expect(await derivedNow()).toEqual([fixture.order.id])
    expect(await derivedNow(SETTLED)).toEqual([fixture.order.id])
    fixture.ethereum.grow(1)
    await fixture.watch()
    expect(await derivedNow()).toEqual([])
    const until = await store.db.selectFrom('order_clocks').select('until').where('clock', '=', 'now').executeTakeFirstOrThrow()
    expect(await derivedNow((until.until ?? 0n) - 1n)).toEqual([])
    expect(await derivedNow(until.until ?? 0n)).toEqual([fixture.order.id])
    fixture.bitcoin.grow(Number(fixture.order.source.terms.timelock))
    await fixture.watch()
    expect(await derivedNow(until.until ?? 0n)).toEqual([fixture.order.id])
  })

  test('some seconds after its last change, and only then are its ranges stored', async () => {
    const clocks = async () =>
      (await store.db.selectFrom('order_clocks').select('clock').orderBy('clock').execute()).map(({ clock }) => clock)
    await fixture.fund('source')
    expect(await derivedNow()).toEqual([fixture.order.id])
    expect(await clocks()).toEqual(['settle'])
    await fixture.fund('destination')
    expect(await derivedNow(SETTLED - 1n)).toEqual([fixture.order.id])
    expect(await clocks()).toEqual(['settle'])
    expect(await derivedNow(SETTLED)).toEqual([])
    await createSweeper({ db: store.db, registry }).sweep(NOW)
    expect(await derivedNow(SETTLED)).toEqual([])
    expect(await derivedNow(SETTLED + 4n)).toEqual([fixture.order.id])
    const settled = await clocks()
    expect(settled).toEqual(expect.arrayContaining(['facts', 'now', 'ethereum_localnet height']))
    expect(settled).not.toContain('settle')
    await touchOrders(store.db, [fixture.order.id])
    expect(await derivedNow(SETTLED + 4n)).toEqual([fixture.order.id])
    expect(await clocks()).toEqual(settled)
  })

  test('when a deposit has enough confirmations, although its ranges are not stored yet', async () => {
    const required = fixture.order.source.requiredConfirmations
    fixture = await openEngineFixture(store, { source: { requiredConfirmations: required + 2 } })
    await fixture.fund('source')
    expect(await derivedNow()).toEqual([fixture.order.id])
    for (const expected of [[], [fixture.order.id]]) {
      fixture.bitcoin.grow(1)
      await fixture.watch()
      expect(await derivedNow()).toEqual(expected)
    }
    expect(await wanted()).toEqual(['initiate destination'])
  })

  test('when a chain comes back that was silent at its last change', async () => {
    await fixture.fund('source')
    await store.db.deleteFrom('blocks').where('chain', '=', 'ethereum_localnet').execute()
    expect(await derivedNow()).toEqual([fixture.order.id])
    expect(await wanted()).toEqual([])
    await fixture.watch()
    expect(await derivedNow()).toEqual([fixture.order.id])
    expect(await wanted()).toEqual(['initiate destination'])
  })

  test('when the party wants to see it again', async () => {
    await fixture.fund('source')
    const at = Date.now() + 5_000
    expect(await derivedNow(NOW, ALL_SHARDS, new Map([[fixture.order.id, at]]))).toEqual([fixture.order.id])
    expect(await derivedNow()).toEqual([])
    vi.spyOn(Date, 'now').mockReturnValue(at)
    expect(await derivedNow()).toEqual([fixture.order.id])
    expect(await derivedNow()).toEqual([])
  })

  test('when it is due by the engine that has its shard', async () => {
    await fixture.fund('source')
    await derivedNow()
    const { shard } = await store.db.selectFrom('order_clocks').select('shard').limit(1).executeTakeFirstOrThrow()
    const late = fixture.order.deadline + 1n
    expect(
      await derivedNow(
        late,
        ALL_SHARDS.filter((one) => one !== shard),
      ),
    ).toEqual([])
    expect(await derivedNow(late, [shard])).toEqual([fixture.order.id])
  })

  test('when it was touched by the engine that comes first', async () => {
    await fixture.fund('source')
    const [taken, finish] = [gate(), gate()]
    const query = { chains: [], untagged: 0n, now: 0n, nowMs: 0n, shards: [], limit: 100 }
    const first = deriveOrders(store.other, query, async () => {
      taken.open()
      await finish.opened
      throw new Error('its process dies')
    })
    await taken.opened
    expect(await derivedNow()).toEqual([])
    finish.open()
    await expect(first).rejects.toThrow('dies')
    expect(await derivedNow()).toEqual([fixture.order.id])
  })

  test('by one engine at a time: the later one sees what the earlier one saw, and more', async () => {
    await fixture.fund('source')
    const [locked, finish] = [gate(), gate()]
    const earlier = store.other.transaction().execute(async (tx) => {
      await sql`select lock_orders(${[fixture.order.id]})`.execute(tx)
      locked.open()
      await finish.opened
    })
    await locked.opened
    let isDone = false
    const later = derivedNow().then((orders) => {
      isDone = true
      return orders
    })
    await new Promise<void>((resolve) => setTimeout(resolve, 200))
    expect(isDone).toBe(false)
    finish.open()
    await earlier
    expect(await later).toEqual([fixture.order.id])
  })

  test('by the sweep although its mark is missing', async () => {
    await fixture.fund('source')
    await store.db.deleteFrom('touched_orders').execute()
    expect(await derivedNow()).toEqual([])
    const { sweep } = createSweeper({ db: store.db, registry })
    await sweep(NOW, [])
    expect(await derivedNow()).toEqual([])
    await sweep(NOW)
    expect(await derivedNow()).toEqual([fixture.order.id])
    expect(await wanted()).toEqual(['initiate destination'])
  })

  test('again if it failed', async () => {
    await fixture.fund('source')
    const failing = {
      role: 'solver',
      onReconciled: () => {
        throw new Error('not now')
      },
    } as const
    await expect(reconcile({ db: store.db, registry, party: failing }, NOW)).rejects.toThrow('not now')
    expect(await wanted()).toEqual([])
    expect(await derivedNow()).toEqual([fixture.order.id])
    expect(await wanted()).toEqual(['initiate destination'])
  })

  test('not while it is closed, and then leaves no ranges', async () => {
    await fixture.fund('source')
    await derivedNow()
    await closeAnyway(store.db, fixture.order.id)
    await touchOrders(store.db, [fixture.order.id])
    expect(await derivedNow()).toEqual([])
    expect(await store.db.selectFrom('order_clocks').selectAll().execute()).toEqual([])
    expect(await store.db.selectFrom('touched_orders').selectAll().execute()).toEqual([])
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
    await reconcileAs('solver', SETTLED)
    expect(await closed()).toBe(false)
    fixture.bitcoin.grow(1)
    await fixture.watch()
    await reconcileAs('solver', SETTLED)
    expect(await closed()).toBe(true)
    expect(await wanted()).toEqual([])
  })

  test('when it is unfunded and both chains have passed the end of the watch for late deposits', async () => {
    await fixture.watch()
    const last = fixture.order.deadline + LATE_DEPOSIT_WATCH_SECONDS
    const setTipTime = (chain: string, time: bigint) => store.db.updateTable('blocks').set({ time }).where('chain', '=', chain).execute()
    await setTipTime(fixture.order.source.chain, last + 1n)
    await setTipTime(fixture.order.destination.chain, last)
    const sweep = () => createSweeper({ db: store.db, registry }).sweep(last + 1n)
    await sweep()
    expect(await closed()).toBe(false)
    await setTipTime(fixture.order.destination.chain, last + 1n)
    await sweep()
    expect(await closed()).toBe(true)
  })

  test('never while a deposit is unspent', async () => {
    await fixture.fund('source')
    await reconcileAs('service', fixture.order.deadline + 10n * LATE_DEPOSIT_WATCH_SECONDS)
    expect(await closed()).toBe(false)
  })
})
