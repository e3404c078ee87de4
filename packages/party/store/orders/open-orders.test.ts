/** Tests which orders a sweep marks. */
import { signedGrant } from '@tandem/protocol/grants.fixture.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import { actionKey } from '@tandem/protocol/order.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { recordPoll } from '../chain/events.ts'
import { sharedStore } from '../shared-store.fixture.ts'
import { blockOf, closeAnyway, putOrder, sightingsOf } from '../store.fixture.ts'
import { factsMark } from './facts-mark.ts'
import { recordProposal } from './fills.ts'
import { addGrant } from './grants.ts'
import { GROUPS, type SweptPage, sweepPage } from './open-orders.ts'
import { findOrderSnapshots, markSecretSigned } from './orders.ts'
import { recordPrefund } from './prefunds.ts'
import { SHARDS } from './touched-orders.ts'

const store = sharedStore()
beforeEach(async () => {
  for (const table of [
    'events',
    'blocks',
    'actions',
    'grants',
    'fills',
    'prefunds',
    'order_clocks',
    'touched_orders',
    'swaps',
    'orders',
  ] as const)
    await store.db.deleteFrom(table).execute()
})

const shards = Array.from({ length: SHARDS }, (_, shard) => shard)
const base: SweptPage = { after: 0n, limit: 100, shards, rederived: 0, firstGroup: 0, worthlessBelow: new Map(), deadline: 0n }
const put = async () => (await putOrder(store.db)).order
const record = (event: HtlcEvent, chain = 'bitcoin_regtest') =>
  recordPoll(store.db, {
    chain,
    after: null,
    blocks: [],
    ...(event.block === null ? { events: [], unconfirmed: [event] } : { events: [event], unconfirmed: [] }),
  })

/** Derives as the reconciler does, but leaves no trace in the marks. */
async function derive(orderId: string): Promise<void> {
  const [snapshot] = await findOrderSnapshots(store.db, [orderId])
  if (snapshot === undefined) throw new Error('the order is gone')
  await store.db.deleteFrom('order_clocks').where('order_id', '=', orderId).execute()
  await store.db
    .insertInto('order_clocks')
    .values({ order_id: orderId, clock: 'facts', since: factsMark(snapshot), until: null })
    .execute()
}
async function swept(page: Partial<SweptPage> = {}): Promise<readonly string[]> {
  await store.db.deleteFrom('touched_orders').execute()
  await sweepPage(store.db, { ...base, ...page })
  return (await store.db.selectFrom('touched_orders').select('order_id').execute()).map((row) => row.order_id).sort()
}

describe('a sweep marks', () => {
  test('orders about which something was recorded since they were derived, and no others', async () => {
    const { id, source, destination } = await put()
    const quiet = await put()
    await closeAnyway(store.db, (await put()).id)
    const happenings: readonly (() => Promise<unknown>)[] = [
      () => record(sightingsOf(source.swapId).initiated()),
      () => record({ ...sightingsOf(source.swapId, blockOf(7n)).initiated(), tx: 'mined' }),
      () => record({ ...sightingsOf(source.swapId, blockOf(8n)).initiated(), tx: 'mined' }),
      () => record(sightingsOf(destination.swapId, blockOf(1n)).initiated(), destination.chain),
      () => addGrant(store.db, id, signedGrant('s')),
      () => recordPrefund(store.db, id, { amount: 1n, seenAt: new Date() }),
      () => markSecretSigned(store.db, id),
      () => store.db.updateTable('orders').set({ declined: 'no' }).where('id', '=', id).execute(),
      () =>
        store.db
          .updateTable('orders')
          .set({ seen_secret: '5e'.repeat(32), seen_secret_at: new Date() })
          .where('id', '=', id)
          .execute(),
      () =>
        recordProposal(
          store.db,
          id,
          { deposits: ['a'], blockHash: 'b', destinationAmount: destination.terms.amount },
          { amount: destination.terms.amount, swapId: destination.swapId },
        ),
      () => store.db.updateTable('fills').set({ signature: 'signed' }).where('order_id', '=', id).execute(),
      () => store.db.deleteFrom('events').execute(),
    ]
    expect(await swept()).toEqual([])
    for (const [n, happen] of happenings.entries()) {
      await happen()
      expect([n, await swept()]).toEqual([n, [id]])
      expect([n, await swept({ shards: [] })]).toEqual([n, []])
      await derive(id)
      expect([n, await swept()]).toEqual([n, []])
    }
    expect(await swept({ rederived: 10 })).not.toContain(quiet.id)
  })

  test('nothing twice', async () => {
    const { id, source } = await put()
    await record(sightingsOf(source.swapId).initiated())
    expect(await swept()).toEqual([id])
    await sweepPage(store.db, base)
    expect(await store.db.selectFrom('touched_orders').selectAll().execute()).toHaveLength(1)
  })

  test('no order that is looked at again anyway, because its chain is not served', async () => {
    const { id, source } = await put()
    await record(sightingsOf(source.swapId).initiated())
    await store.db.insertInto('order_clocks').values({ order_id: id, clock: 'recheck', since: null, until: 1n }).execute()
    expect(await swept()).toEqual([])
  })

  test('no order with very many events again and again', async () => {
    const { id, source } = await put()
    const events = Array.from({ length: 301 }, (_, n) => ({
      ...sightingsOf(source.swapId, blockOf(1n)).initiated(),
      tx: `${n}`,
      deposit: `${n}`,
    }))
    await recordPoll(store.db, { chain: source.chain, after: null, blocks: [], events, unconfirmed: [] })
    expect(await swept()).toEqual([id])
    await derive(id)
    expect(await swept()).toEqual([])
  })

  test('some active orders round robin although nothing is missing', async () => {
    const ids: string[] = []
    for (let n = 0; n < 6; n += 1) {
      const order = await put()
      await record({ ...sightingsOf(order.source.swapId, blockOf(1n)).initiated(), tx: `${n}` })
      await derive(order.id)
      ids.push(order.id)
    }
    expect(await swept({ rederived: 6 })).toEqual(ids.toSorted())
    const seen = new Set<string>()
    for (let round = 0; round < GROUPS && seen.size < ids.length; round += 1)
      for (const id of await swept({ rederived: 2, firstGroup: (round * 37) % GROUPS })) seen.add(id)
    expect([...seen].sort()).toEqual(ids.toSorted())
    expect(await swept({ rederived: 2 })).toHaveLength(2)
  })

  test('no order round robin that has only worthless deposits', async () => {
    const [dusted, funded, granted, acted] = [await put(), await put(), await put(), await put()]
    for (const [n, order] of [dusted, funded, granted, acted].entries()) {
      const amount = order === funded ? 1000n : 999n
      await record({ ...sightingsOf(order.source.swapId, blockOf(1n)).initiated(amount), tx: `${n}` })
      if (order === granted) await addGrant(store.db, order.id, signedGrant('s'))
      if (order === acted)
        await store.db
          .insertInto('actions')
          .values({ key: actionKey(order.id, 'source', 'refund'), order_id: order.id, leg: 'source', verb: 'refund', wanted: false })
          .execute()
      await derive(order.id)
    }
    const worthlessBelow = new Map([[dusted.source.chain, 1000n]])
    expect(await swept({ rederived: 10, worthlessBelow })).toEqual([funded.id, granted.id, acted.id].sort())
    expect(await swept({ rederived: 10 })).toHaveLength(4)
    await record({ ...sightingsOf(dusted.source.swapId, blockOf(2n)).refunded(), tx: 'spend' })
    await derive(dusted.id)
    expect(await swept({ rederived: 10, worthlessBelow })).toHaveLength(4)
  })
})

test('goes through all open orders page by page, and lists those with old deadlines', async () => {
  const ids: string[] = []
  for (let n = 0; n < 5; n += 1) {
    const { id } = await put()
    ids.push(id)
    await store.db
      .updateTable('orders')
      .set({ deadline: BigInt(n) })
      .where('id', '=', id)
      .execute()
  }
  await closeAnyway(store.db, ids[2] ?? '')
  const pages: (readonly string[])[] = []
  for (let after: bigint | null = 0n; after !== null; ) {
    const { late, end } = await sweepPage(store.db, { ...base, after, limit: 2, deadline: 4n })
    pages.push(late)
    after = end
  }
  expect(pages).toEqual([[ids[0], ids[1]], [ids[3]], []])
})
