/** Tests which swaps and deposits the watch list has. */
import type { SeenIds } from '@tandem/chain-kit/port/watched-swaps.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { Order } from '@tandem/protocol/order.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { readEvents } from '../store/chain/events.ts'
import { insertOrder } from '../store/orders/insert-orders.ts'
import { closeUnfundedOrders, findOrder } from '../store/orders/orders.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { statementsOf } from '../store/statements.fixture.ts'
import { closeAnyway, exampleOrder, NOW, putOrder, sightingsOf } from '../store/store.fixture.ts'
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
beforeEach(async () => {
  for (const table of ['events', 'blocks', 'leases', 'swaps', 'orders'] as const) await store.db.deleteFrom(table).execute()
  chain = createMemoryChain(id, NOW)
  order = (await putOrder(store.db)).order
  list = createWatchList(store.db, chain.chain)
})

const watch = () => pollChain({ db: store.db, client: chain, holder: 'me', list, onReorg: () => undefined })
const deposit = () => sightingsOf(order.source.swapId).initiated()
const redeem = () => sightingsOf(order.source.swapId).redeemed(SECRET)
const seen = async ({ source } = order) =>
  ((await readEvents(store.db, [source])).get(`${id} ${source.swapId}`) ?? [])
    .map((event) => [event.kind, event.block?.hash ?? null] as const)
    .sort(([one], [two]) => one.localeCompare(two))

const find = ({ swapIds = [], spent = [] }: Partial<SeenIds>) => list.find({ swapIds, spent })

async function catchUp(): Promise<number> {
  for (let steps = 1; ; steps++) if (!(await watch()).behind) return steps
}

describe('the watch list', () => {
  const active = async () => (await list.newest(10)).map(({ swapId, deposits }) => ({ swapId, deposits }))

  test('has new orders and seen deposits', async () => {
    await watch()
    const other = (await putOrder(store.db)).order
    chain.mine(deposit())
    await watch()
    expect(await active()).toEqual([
      { swapId: order.source.swapId, deposits: [deposit().deposit] },
      { swapId: other.source.swapId, deposits: [] },
    ])
    const { swapId } = order.source
    expect((await find({ spent: [deposit().deposit] })).byDeposit(deposit().deposit)?.swapId).toBe(swapId)
  })

  test('is empty if there is nothing to watch', async () => {
    await watch()
    expect(list.isEmpty).toBe(false)
    for (const table of ['swaps', 'orders'] as const) await store.db.deleteFrom(table).execute()
    await watch()
    expect(list.isEmpty).toBe(true)
  })

  test('asks the database once about a swap, until its spend is recorded; never about those of others', async () => {
    const { swapId } = order.destination
    const exact = createWatchList(store.db, createMemoryChain('ethereum_localnet', NOW).chain)
    const asking = async (...swapIds: readonly string[]) => {
      const found: (string | undefined)[] = []
      const statements = await statementsOf(async () => {
        const swaps = await exact.find({ swapIds, spent: [] })
        found.push(...swapIds.map((one) => swaps.bySwapId(one)?.swapId))
      })
      return { found, asked: statements.filter((text) => text.includes('swap_id = any')).length }
    }
    expect(await asking(swapId)).toEqual({ found: [swapId], asked: 1 })
    expect(await asking(swapId)).toEqual({ found: [swapId], asked: 0 })
    expect(await asking(swapId, 'of others')).toEqual({ found: [swapId, undefined], asked: 1 })
    expect(await asking('of others')).toEqual({ found: [undefined], asked: 1 })
    exact.recorded(null, [sightingsOf(swapId).redeemed(SECRET)])
    expect(await asking(swapId)).toEqual({ found: [swapId], asked: 1 })
  })

  test('has the solvers of all open swaps, and reads only those of new ones', async () => {
    const { redeemer } = order.source.terms
    expect(await list.solverParties()).toEqual([redeemer])
    const other = (await putOrder(store.db)).order
    await store.db.updateTable('swaps').set({ redeemer: 'another' }).where('order_id', '=', other.id).where('leg', '=', 'source').execute()
    const statements = await statementsOf(async () => {
      expect(await list.solverParties()).toEqual([redeemer, 'another'])
    })
    expect(statements.filter((text) => text.includes('select distinct'))).toEqual([expect.stringContaining('watched_in >=')])
    expect((await list.bySecretHash([other.source.terms.secretHash])).map(({ swapId }) => swapId)).toEqual([other.source.swapId])
  })

  test('follows a swap whose id changes', async () => {
    await watch()
    const { swapId } = order.source
    await store.db.updateTable('swaps').set({ swap_id: 'new id', amount: 5n }).where('swap_id', '=', swapId).execute()
    const found = await find({ swapIds: [swapId, 'new id'] })
    expect(found.bySwapId(swapId)).toBeUndefined()
    expect(found.bySwapId('new id')?.terms.amount).toBe(5n)
  })

  test('includes an order whose transaction commits after later ones', async () => {
    await watch()
    const late = exampleOrder()
    await store.other.transaction().execute(async (tx) => {
      await insertOrder(tx, late)
      chain.grow(1)
      await watch()
      await putOrder(store.db)
      await watch()
    })
    order = late.order
    const mined = chain.mine(deposit())
    await watch()
    expect(await seen()).toEqual([['initiated', mined.hash]])
  })

  test('stays correct when a second process takes over, and when the first takes over again', async () => {
    const other = createWatchList(store.db, chain.chain)
    await watch()
    const takeOver = async (holder: string, theirs: WatchList) => {
      await store.db.deleteFrom('leases').execute()
      await pollChain({ db: store.db, client: chain, holder, list: theirs, onReorg: () => undefined })
    }
    const mined = chain.mine(deposit())
    await takeOver('other', other)
    chain.mempool = [redeem()]
    await takeOver('me', list)
    expect(await seen()).toEqual([
      ['initiated', mined.hash],
      ['redeemed', null],
    ])
    chain.mempool = []
    const spent = chain.mine(redeem())
    await takeOver('other', other)
    expect(await seen()).toEqual([
      ['initiated', mined.hash],
      ['redeemed', spent.hash],
    ])
  })
})

describe('the mempool is read', () => {
  const reads = async () => {
    const before = chain.asked.length
    await watch()
    return chain.asked.slice(before).includes('unconfirmedEvents')
  }

  test('while an open order has no deposit, or one without a mined spend', async () => {
    expect(await reads()).toBe(true)
    chain.mine(deposit())
    expect(await reads()).toBe(true)
    chain.mempool = [redeem()]
    expect(await reads()).toBe(true)
    chain.mempool = []
    chain.mine(redeem())
    await watch()
    expect(await reads()).toBe(false)
    const fresh = createWatchList(store.db, chain.chain)
    await fresh.refresh()
    expect(fresh.expectsUnconfirmed).toBe(false)
    chain.drop(1)
    chain.grow(2)
    await watch()
    await watch()
    expect(await reads()).toBe(true)
  })

  test('again when a new order is open, and not while there is none', async () => {
    await watch()
    await closeAnyway(store.db, order.id)
    await watch()
    expect(await reads()).toBe(false)
    await putOrder(store.db)
    expect(await reads()).toBe(true)
  })
})

describe('an order that is over', () => {
  const isClosed = async (id = order.id) => (await findOrder(store.db, id))?.closed
  const late = () => ({ ...deposit(), tx: 'late', deposit: 'late' })
  const lateRefund = (): HtlcEvent => ({ ...sightingsOf(order.source.swapId).refunded(), tx: 'late refund', deposit: 'late' })

  async function finish() {
    chain.mine(deposit())
    chain.mine(redeem())
    await watch()
    await closeAnyway(store.db, order.id)
    await watch()
  }

  test('is watched for new deposits only', async () => {
    await finish()
    expect(list.hasOpen).toBe(false)
    expect((await list.active(10, null)).swaps).toEqual([])
    const { swapId, terms } = order.source
    const found = await find({ swapIds: [swapId], spent: [deposit().deposit] })
    expect(found.bySwapId(swapId)?.terms).toEqual(terms)
    expect(found.byDeposit(deposit().deposit)).toBeUndefined()
  })

  test('is reopened by a deposit, whose spend is seen too, and can be closed again', async () => {
    await finish()
    const mined = chain.mine(late())
    expect(await watch()).toEqual({ changed: true, behind: false })
    expect(await isClosed()).toBe(false)
    chain.grow(3)
    await watch()
    chain.mempool = [lateRefund()]
    await watch()
    expect(await seen()).toEqual(
      expect.arrayContaining([
        ['initiated', mined.hash],
        ['refunded', null],
      ]),
    )
    chain.mempool = []
    const refunded = chain.mine(lateRefund())
    await watch()
    expect(await seen()).toEqual(expect.arrayContaining([['refunded', refunded.hash]]))
    await closeAnyway(store.db, order.id)
    await watch()
    expect(await isClosed()).toBe(true)
    expect((await list.active(10, null)).swaps).toEqual([])
  })

  test('that was never funded is reopened by its first deposit', async () => {
    await watch()
    await closeUnfundedOrders(store.db, [order.id], -(10n ** 12n), [])
    expect(await isClosed()).toBe(true)
    await watch()
    const mined = chain.mine(deposit())
    await watch()
    expect(await isClosed()).toBe(false)
    expect(await seen()).toEqual([['initiated', mined.hash]])
  })

  test('is reopened after a restart, too', async () => {
    await finish()
    list = createWatchList(store.db, chain.chain)
    chain.mine(late())
    await watch()
    expect(await isClosed()).toBe(false)
  })

  test('that was reopened by a deposit and closed after a reorg is reopened when the deposit is mined again', async () => {
    await finish()
    chain.mine(late())
    await watch()
    chain.drop(1)
    chain.grow(2)
    await catchUp()
    expect(await isClosed()).toBe(false)
    expect(await seen()).toHaveLength(2)
    await closeAnyway(store.db, order.id)
    await watch()
    const again = chain.mine(late())
    await watch()
    expect(await isClosed()).toBe(false)
    expect(await seen()).toEqual(expect.arrayContaining([['initiated', again.hash]]))
  })

  test('on a chain where HTLCs are funded once is not watched', async () => {
    chain = createMemoryChain('ethereum_localnet', NOW)
    list = createWatchList(store.db, chain.chain)
    await watch()
    expect(list.isEmpty).toBe(false)
    await closeAnyway(store.db, order.id)
    await watch()
    expect(list.isEmpty).toBe(true)
    const { swapId } = order.destination
    expect((await find({ swapIds: [swapId] })).bySwapId(swapId)).toBeUndefined()
  })
})

describe('an unconfirmed deposit', () => {
  test('is removed when another one replaces it', async () => {
    await watch()
    chain.mempool = [deposit()]
    await watch()
    const replacing = { ...deposit(), tx: 'replacing', deposit: 'replacing' }
    chain.mempool = [replacing]
    expect(await watch()).toEqual({ changed: true, behind: false })
    const events = (await readEvents(store.db, [order.source])).get(`${id} ${order.source.swapId}`)
    expect(events).toEqual([replacing])
  })

  test('is removed when its sender spends the coins elsewhere', async () => {
    const memory = createPollMemory()
    const poll = () => pollChain({ db: store.db, client: chain, holder: 'me', list, memory, onReorg: () => undefined })
    await poll()
    chain.mempool = [deposit()]
    await poll()
    chain.mempool = []
    chain.grow(1)
    await poll()
    await poll()
    expect(await seen()).toEqual([])
  })
})
