/** Tests how orders are stored and read. */
import { signedGrant } from '@tandem/protocol/grants.fixture.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { ActionVerb } from '@tandem/protocol/order.ts'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { syncWanted } from '../actions/actions.ts'
import { createApp } from '../apps/apps.ts'
import { recordPoll } from '../chain/events.ts'
import { sharedStore } from '../shared-store.fixture.ts'
import { type ExampleChanges, exampleOrder, NOW, putOrder, sightingsOf } from '../store.fixture.ts'
import { addGrant } from './grants.ts'
import { insertOrder, type NewOrder } from './insert-orders.ts'
import {
  closeOrders,
  closeUnfundedOrders,
  findOrder,
  findOrderSnapshots,
  findRepeated,
  markSecretSigned,
  type Repetition,
  setRefundAddress,
} from './orders.ts'

const store = sharedStore()
beforeAll(async () => {
  await createApp(store.db, 'shop')
  await createApp(store.db, 'rival')
})
beforeEach(async () => {
  for (const table of ['events', 'actions', 'grants', 'prefunds', 'swaps', 'orders'] as const) await store.db.deleteFrom(table).execute()
})

const insert = (input: NewOrder) => insertOrder(store.db, input)
const count = async () => ({
  orders: (await store.db.selectFrom('orders').select('id').execute()).length,
  swaps: (await store.db.selectFrom('swaps').select('order_id').execute()).length,
})

test('reads an order as it was inserted', async () => {
  const input = exampleOrder({
    app: 'shop',
    affiliateFees: [{ address: '0xaff', asset: 'ethereum_localnet:wbtc', feeBips: 10, amount: '12345678901234567890' }],
    idempotencyKey: 'key',
    tokenHash: 'token hash',
    destination: { userAddress: 'bob', orderKey: 'relay', payer: 'somebody' },
  })
  expect(await insert(input)).toBe(true)
  const { idempotencyKey: _, worth: __, ...stored } = input
  expect(await findOrder(store.db, input.order.id)).toEqual({
    ...stored,
    prefund: 0n,
    createdAt: new Date(Number(input.order.createdAt) * 1000),
    secretSigned: false,
    secretShown: false,
    seenSecret: null,
    seenSecretAt: null,
    closed: false,
    grants: [],
    fill: null,
    declined: null,
  })
  expect(await findOrder(store.db, 'unknown')).toBeNull()
})

test('an order with values of another version, in the list or with an action, can be read', async () => {
  const { order } = await putOrder(store.db, { app: 'shop', worth: { volumeUsdMicros: 1n, feeUsdMicros: 0n } })
  const wanted = (['redeem', 'refund'] as const).map((verb) => ({ orderId: order.id, leg: 'source', verb }) as const)
  await syncWanted(store.db, [order.id], wanted)
  await sql`update order_list set status = 'merged' where order_id = ${order.id}`.execute(store.db)
  await sql`update actions set refusal = 'paused'`.execute(store.db)
  await sql`update actions set verb = 'merge' where verb = 'refund'`.execute(store.db)
  const [snapshot] = await findOrderSnapshots(store.db, [order.id])
  expect(snapshot?.listed).toBeNull()
  expect([...(snapshot?.refusals ?? [])]).toEqual([['redeem', 'paused']])
})

describe('an order that exists already', () => {
  const first: ExampleChanges = { id: '11'.repeat(32), secret: '22'.repeat(32), nonce: 'nonce', idempotencyKey: 'key', app: 'shop' }

  test.each<{ name: string; again: ExampleChanges }>([
    { name: 'id', again: { id: '11'.repeat(32) } },
    { name: 'secret hash', again: { secret: '22'.repeat(32) } },
    { name: 'secret hash, through another app', again: { secret: '22'.repeat(32), app: 'rival' } },
    { name: 'nonce of the same owners', again: { nonce: 'nonce' } },
    { name: 'idempotency key', again: { idempotencyKey: 'key' } },
  ])('is not inserted again: the same $name', async ({ again }) => {
    await putOrder(store.db, first)
    expect(await insert(exampleOrder({ app: 'shop', ...again }))).toBe(false)
    expect(await count()).toEqual({ orders: 1, swaps: 2 })
  })

  test.each<{ name: string; other: ExampleChanges }>([
    { name: 'nonce through another app', other: { nonce: 'nonce', app: 'rival' } },
    { name: 'nonce of another owner', other: { nonce: 'nonce', sourceOwner: 'carol' } },
    { name: 'idempotency key of another app', other: { idempotencyKey: 'key', app: 'rival' } },
  ])('does not block an order with the same $name', async ({ other }) => {
    await putOrder(store.db, first)
    expect(await insert(exampleOrder({ app: 'shop', ...other }))).toBe(true)
    expect(await count()).toEqual({ orders: 2, swaps: 4 })
  })

  test('exactly one of several concurrent inserts succeeds', async () => {
    const results = await Promise.all(
      [store.db, store.other, store.db, store.other].map((db) => insertOrder(db, exampleOrder({ secret: '22'.repeat(32) }))),
    )
    expect(results.filter(Boolean)).toHaveLength(1)
    expect(await count()).toEqual({ orders: 1, swaps: 2 })
  })

  test.each(['source', 'destination'] as const)('writes nothing when another order has the same %s swap', async (leg) => {
    const { order } = await putOrder(store.db)
    await expect(insert(exampleOrder({ [leg]: { swapId: order[leg].swapId } }))).rejects.toThrow('swaps_chain_swap_id_key')
    expect(await count()).toEqual({ orders: 1, swaps: 2 })
  })
})

test('findRepeated finds an order by idempotency key or nonce, for its own app only', async () => {
  const { order } = await putOrder(store.db, { app: 'shop', nonce: 'n', idempotencyKey: 'k' })
  const key = { app: 'shop', idempotencyKey: null, sourceOwner: 'alice', destinationOwner: 'bob', nonce: 'n' }
  const found = async (asked: Partial<Repetition>) => {
    const { byKey, byNonce } = await findRepeated(store.db, { ...key, ...asked })
    return { byKey: byKey?.order.id, byNonce: byNonce?.order.id }
  }
  expect(await found({})).toEqual({ byNonce: order.id })
  for (const other of [{ app: 'rival' }, { sourceOwner: 'carol' }, { destinationOwner: 'carol' }]) expect(await found(other)).toEqual({})
  expect(await found({ nonce: null, idempotencyKey: 'k' })).toEqual({ byKey: order.id })
  expect(await found({ nonce: null, idempotencyKey: 'k', app: 'rival' })).toEqual({})
  expect(await found({ nonce: null })).toEqual({})
  expect(await found({ idempotencyKey: 'k' })).toEqual({ byKey: order.id, byNonce: order.id })
  const { order: second } = await putOrder(store.db, { app: 'shop', nonce: 'm', idempotencyKey: 'l' })
  expect(await found({ idempotencyKey: 'l' })).toEqual({ byKey: second.id, byNonce: order.id })
})

const happen = (event: HtlcEvent, chain: string) =>
  recordPoll(store.db, { chain, after: null, blocks: [], events: [], unconfirmed: [event] })

test('closeOrders does not close an order with a new deposit or a wanted action', async () => {
  const [fresh, wanted] = [(await putOrder(store.db)).order, (await putOrder(store.db)).order]
  await happen(sightingsOf(fresh.source.swapId).initiated(), fresh.source.chain)
  await syncWanted(store.db, [wanted.id], [{ orderId: wanted.id, leg: 'source', verb: 'refund' }])
  await store.db.deleteFrom('touched_orders').execute()
  const close = (deposits: number, outliving: readonly ActionVerb[] = []) =>
    closeOrders(
      store.db,
      [fresh, wanted].map(({ id, source, destination }) => ({ id, chains: [source.chain, destination.chain], deposits })),
      outliving,
    )
  const areClosed = () => Promise.all([fresh, wanted].map(async ({ id }) => (await findOrder(store.db, id))?.closed))
  await close(0)
  expect(await areClosed()).toEqual([false, false])
  await close(1, ['reclaim'])
  expect(await areClosed()).toEqual([true, false])
  await syncWanted(store.db, [wanted.id], [{ orderId: wanted.id, leg: 'source', verb: 'reclaim' }])
  await close(0, [])
  expect(await areClosed()).toEqual([true, false])
  await close(0, ['reclaim'])
  expect(await areClosed()).toEqual([true, true])
})

test('closeUnfundedOrders closes only orders without events long after the deadline, on chains with recorded blocks since then', async () => {
  const late = 1_000n
  const [old, funded, recent, unwatched] = [
    (await putOrder(store.db, { deadline: NOW - late - 1n })).order,
    (await putOrder(store.db, { deadline: NOW - late - 1n })).order,
    (await putOrder(store.db, { deadline: NOW - late })).order,
    (await putOrder(store.db, { deadline: NOW - late - 1n, destination: { chain: 'arbitrum_localnet' } })).order,
  ]
  await happen(sightingsOf(funded.source.swapId).initiated(), funded.source.chain)
  for (const chain of [old.source.chain, old.destination.chain]) {
    await store.db.insertInto('blocks').values({ chain, height: 1n, hash: 'a', parent_hash: 'z', time: NOW }).execute()
  }
  await store.db
    .insertInto('blocks')
    .values({ chain: unwatched.destination.chain, height: 1n, hash: 'a', parent_hash: 'z', time: NOW - 1n })
    .execute()
  const other = (await putOrder(store.db, { deadline: NOW - late - 1n })).order
  await closeUnfundedOrders(
    store.db,
    [old, funded, recent, unwatched].map(({ id }) => id),
    late,
    [],
  )
  expect((await findOrder(store.db, other.id))?.closed).toBe(false)
  const closed = await Promise.all([old, funded, recent, unwatched].map(async ({ id }) => (await findOrder(store.db, id))?.closed))
  expect(closed).toEqual([true, false, false, false])
})

test('the first grant wins', async () => {
  const { order } = await putOrder(store.db)
  await addGrant(store.db, order.id, signedGrant('first'))
  await addGrant(store.db, order.id, signedGrant('second'))
  expect((await findOrder(store.db, order.id))?.grants).toEqual([signedGrant('first')])
})

test('setRefundAddress sets the address once, with its seal, for the source only', async () => {
  const { order, seals } = await putOrder(store.db)
  expect(await Promise.all(['one', 'two'].map((address) => setRefundAddress(store.db, order.id, address, `seal of ${address}`)))).toContain(
    false,
  )
  const { source, destination } = (await findOrder(store.db, order.id))?.order ?? {}
  expect(['one', 'two']).toContain(source?.userAddress)
  expect(destination?.userAddress).toBeNull()
  expect((await findOrder(store.db, order.id))?.seals).toEqual({ ...seals, source: `seal of ${source?.userAddress}` })
  expect(await setRefundAddress(store.db, order.id, 'three', 'seal of three')).toBe(false)
})

test('markSecretSigned keeps the first time', async () => {
  const { order } = await putOrder(store.db)
  const when = () => store.db.selectFrom('orders').select('secret_signed_at').where('id', '=', order.id).executeTakeFirstOrThrow()
  await markSecretSigned(store.db, order.id)
  const first = await when()
  expect((await findOrder(store.db, order.id))?.secretSigned).toBe(true)
  await store.db
    .updateTable('orders')
    .set({ secret_signed_at: new Date(0) })
    .where('id', '=', order.id)
    .execute()
  await markSecretSigned(store.db, order.id)
  expect(first.secret_signed_at).not.toBeNull()
  expect(await when()).toEqual({ secret_signed_at: new Date(0) })
})
