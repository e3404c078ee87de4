/** Tests that, whatever happens to orders, the list finds what a scan of all rows finds, with its filters and without. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readCursor } from '../store/chain/events.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { closeAnyway, NOW, putOrder, sightingsOf } from '../store/store.fixture.ts'
import { createMemoryChain } from './chain.fixture.ts'
import { createWatchList } from './watch-list.ts'
import { pollChain } from './watcher.ts'

const id = 'bitcoin_regtest'
const store = sharedStore()

const happenings = [
  'put',
  'put on both legs',
  'close',
  'reopen',
  'age',
  'rename',
  'deposit',
  'deposit elsewhere',
  'unconfirmed',
  'spend',
  'reorg',
] as const

async function watchedNow(): Promise<{ readonly swapIds: readonly string[]; readonly deposits: readonly string[] }> {
  const swaps = await store.db
    .selectFrom('swaps')
    .innerJoin('orders', 'orders.id', 'order_id')
    .select(['swap_id', 'leg', 'closed_at'])
    .where('chain', '=', id)
    .execute()
  const yearAgo = Date.now() - 365 * 24 * 3600 * 1000
  const open = new Set(swaps.filter(({ closed_at }) => closed_at === null).map(({ swap_id }) => swap_id))
  const late = swaps.filter(({ leg, closed_at }) => leg === 'source' && closed_at !== null && closed_at.getTime() > yearAgo)
  const events = await store.db.selectFrom('events').select(['swap_id', 'deposit']).where('kind', '=', 'initiated').execute()
  return {
    swapIds: [...open, ...late.map(({ swap_id }) => swap_id)].sort(),
    deposits: events
      .filter(({ swap_id }) => open.has(swap_id))
      .map(({ deposit }) => deposit)
      .sort(),
  }
}

/** The filter of deposits was loaded while the order was closed, and nothing was recorded since. */
const reopenedWithFilter = (
  [
    ['put', 0],
    ['deposit elsewhere', 0],
    ['close', 1],
    ['reopen', 0],
    ['put', 0],
  ] as const
).map(([what, which]) => ({ what, which }))

test('the list finds what is watched, and nothing else', async () => {
  const happening = fc.record({ what: fc.constantFrom(...happenings), which: fc.nat(20) })
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 1, maxLength: 25 }), async (all) => {
      for (const table of ['events', 'blocks', 'leases', 'swaps', 'orders'] as const) await store.db.deleteFrom(table).execute()
      const chain = createMemoryChain(id, NOW)
      const [filtered, unfiltered] = [createWatchList(store.db, chain.chain, 0), createWatchList(store.db, chain.chain, 1e9)]
      const orders: { readonly id: string; swapId: string }[] = []
      const everSeen = { swapIds: new Set(['noise']), deposits: new Set(['noise']) }
      let deposits = 0

      const poll = async (holder: string, list = filtered) => {
        await store.db.deleteFrom('leases').execute()
        for (let behind = true; behind; )
          ({ behind } = await pollChain({ db: store.db, client: chain, holder, list, onReorg: () => undefined }))
      }
      const put = async (bothLegs: boolean) => {
        const { order } = await putOrder(store.db, bothLegs ? { destination: { chain: id } } : {})
        orders.push({ id: order.id, swapId: order.source.swapId })
        for (const { swapId } of [order.source, order.destination]) everSeen.swapIds.add(swapId)
      }
      const deposit = (swapId: string) => {
        const event = { ...sightingsOf(swapId).initiated(), tx: `tx ${deposits}`, deposit: `deposit ${deposits}` }
        deposits += 1
        everSeen.deposits.add(event.deposit)
        return event
      }

      await poll('me')
      for (const { what, which } of all) {
        const order = orders[which % orders.length]
        if (order === undefined || what === 'put' || what === 'put on both legs') await put(what === 'put on both legs')
        else if (what === 'close') await closeAnyway(store.db, order.id)
        else if (what === 'reopen') await store.db.updateTable('orders').set({ closed_at: null }).where('id', '=', order.id).execute()
        else if (what === 'age')
          await store.db
            .updateTable('orders')
            .set({ closed_at: new Date(Date.now() - 366 * 24 * 3600 * 1000) })
            .where('id', '=', order.id)
            .execute()
        else if (what === 'rename') {
          const swapId = `${order.swapId.slice(0, 40)} ${everSeen.swapIds.size}`
          await store.db.updateTable('swaps').set({ swap_id: swapId }).where('swap_id', '=', order.swapId).execute()
          order.swapId = swapId
          everSeen.swapIds.add(swapId)
        } else if (what === 'reorg') {
          chain.drop(1)
          chain.grow(2)
        } else if (what === 'unconfirmed') chain.mempool = [deposit(order.swapId)]
        else if (what === 'spend')
          chain.mine({ ...sightingsOf(order.swapId).refunded(), tx: `spend ${which}`, deposit: `deposit ${which}` })
        else chain.mine(deposit(order.swapId))
        if (what === 'deposit elsewhere') await poll('another', createWatchList(store.db, chain.chain))
        else if (which % 3 > 0) await poll('me')
        for (const list of [filtered, unfiltered]) {
          list.startFrom(await readCursor(store.db, id))
          // The second answer comes from the filters if they are loaded by then.
          for (let times = 0; times < 2; times += 1) {
            const found = await list.find({ swapIds: everSeen.swapIds, spent: everSeen.deposits })
            expect({
              swapIds: [...everSeen.swapIds].filter((swapId) => found.bySwapId(swapId)?.swapId === swapId).sort(),
              deposits: [...everSeen.deposits].filter((one) => found.byDeposit(one) !== undefined).sort(),
            }).toEqual(await watchedNow())
          }
        }
      }
    }),
    { numRuns: 25, examples: [[reopenedWithFilter]] },
  )
}, 120_000)
