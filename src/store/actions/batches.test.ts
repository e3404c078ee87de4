import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { HtlcVerb } from '../../protocol/htlc.ts'
import { actionKey, type Leg } from '../../protocol/order.ts'
import type { Database } from '../database/database.ts'
import { findOrder } from '../orders/orders.ts'
import { type ExampleChanges, NOW, openTestStore, putOrder, type TestStore } from '../store.fixture.ts'
import { finishAction, type LeasedAction, leaseAction, readAttempts, recordAttempt, syncWanted } from './actions.ts'
import { findCosigned, keepCosigned, leaseCompanions } from './batches.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())
beforeEach(async () => {
  for (const table of ['attempts', 'actions', 'cosigned_redeems'] as const) await store.db.deleteFrom(table).execute()
})

const SECONDS = 60
const chain = 'bitcoin_regtest'
const redeemOf = (orderId: string) => actionKey(orderId, 'source', 'redeem')

/** An order of which this is wanted. */
async function want(leg: Leg = 'source', verb: HtlcVerb = 'redeem', changes: ExampleChanges = {}): Promise<string> {
  const { order } = await putOrder(store.db, changes)
  await syncWanted(store.db, [order.id], [{ orderId: order.id, leg, verb }])
  return order.id
}
const wantSeveral = async (count: number) => {
  const ids: string[] = []
  for (let n = 0; n < count; n += 1) ids.push(await want())
  return ids.toSorted()
}

/** Takes the redeem of this order, as if nothing else were due. */
async function lease(orderId: string): Promise<LeasedAction> {
  await sql`update actions set due_at = now() + interval '1 hour' where key <> ${redeemOf(orderId)}`.execute(store.db)
  await sql`update actions set due_at = now() where key = ${redeemOf(orderId)}`.execute(store.db)
  const leased = await leaseAction(store.db, 'engine', SECONDS)
  if (leased === null) throw new Error('nothing to lease')
  return leased
}
const companionsOf = async (action: LeasedAction, limit = 49, db: Database = store.db) =>
  (await leaseCompanions(db, action, { chain, seconds: SECONDS, limit })).toSorted((a, b) => (a.key < b.key ? -1 : 1))
const orderIds = (actions: readonly LeasedAction[]) => actions.map(({ orderId }) => orderId)
const release = (...actions: readonly LeasedAction[]) =>
  Promise.all(actions.map((action) => finishAction(store.db, action, { kind: 'skipped', againInMs: 0 })))
const attempt = (tx: string) => ({
  tx,
  raw: `raw ${tx}`,
  slots: [],
  feeRate: 1n,
  at: NOW,
  chain,
  sender: 'solver',
  releasesSecret: false,
})

describe('who comes along', () => {
  test('all redeems that wait on the same side of the same chain, due or not', async () => {
    const [first = '', ...others] = await wantSeveral(3)
    await want('source', 'refund')
    await want('destination', 'redeem', { source: { chain: 'ethereum_localnet' }, destination: { chain } })
    await want('source', 'redeem', { source: { chain: 'litecoin_regtest' } })
    const dropped = await want()
    await syncWanted(store.db, [dropped], [])
    const action = await lease(first)
    const companions = await companionsOf(action)
    expect(orderIds(companions)).toEqual(others)
    expect(companions).toMatchObject(others.map((id) => ({ key: redeemOf(id), holder: 'engine', fence: 1n, cancelling: false })))
  })

  test('not more than asked for, the most overdue first', async () => {
    const [first = '', late, soon] = await wantSeveral(3)
    const action = await lease(first)
    await sql`update actions set due_at = now() + interval '2 hours' where key = ${redeemOf(soon ?? '')}`.execute(store.db)
    expect(orderIds(await companionsOf(action, 1))).toEqual([late])
  })

  test('none for which something is signed, as long as nothing is for the first', async () => {
    const [first = '', signed = '', waiting = ''] = await wantSeveral(3)
    const other = await lease(signed)
    await recordAttempt(store.db, [other], attempt('a'))
    await release(other)
    expect(orderIds(await companionsOf(await lease(first)))).toEqual([waiting])
  })

  test('those that share a transaction with it, once one is signed, and nobody else', async () => {
    const [first = '', mate = '', stranger = ''] = await wantSeveral(4)
    const action = await lease(first)
    const companions = await companionsOf(action)
    await recordAttempt(store.db, [action, ...companions.filter(({ orderId }) => orderId === mate)], attempt('together'))
    await recordAttempt(
      store.db,
      companions.filter(({ orderId }) => orderId === stranger),
      attempt('alone'),
    )
    await release(action, ...companions)
    expect(orderIds(await companionsOf(await lease(first)))).toEqual([mate])
  })

  test('nobody whom another holds, until that lease has run out', async () => {
    const [first = '', held = ''] = await wantSeveral(2)
    await lease(held)
    const action = await lease(first)
    expect(await companionsOf(action)).toEqual([])
    await sql`update actions set lease_until = now() - interval '1 second' where key = ${redeemOf(held)}`.execute(store.db)
    expect(orderIds(await companionsOf(action))).toEqual([held])
  })

  test('is never the same for two at once', async () => {
    await wantSeveral(8)
    const [one, two] = [await leaseAction(store.db, 'one', SECONDS), await leaseAction(store.other, 'two', SECONDS)]
    if (one === null || two === null) throw new Error('nothing to lease')
    const taken = await Promise.all([companionsOf(one, 4), companionsOf(two, 4, store.other)])
    const keys = [one, two, ...taken.flat()].map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
    const rest = [...(await companionsOf(one)), ...(await companionsOf(two))]
    expect(new Set([...keys, ...rest.map(({ key }) => key)]).size).toBe(8)
  })

  test('passes by whoever is being taken at this moment', async () => {
    const [first = ''] = await wantSeveral(3)
    const action = await lease(first)
    await store.other.transaction().execute(async (tx) => {
      expect(await companionsOf({ ...action, holder: 'slow' }, 1, tx)).toHaveLength(1)
      await store.db.transaction().execute(async (quick) => {
        await sql`set local lock_timeout = '5s'`.execute(quick)
        expect(await companionsOf(action, 49, quick)).toHaveLength(1)
      })
    })
  })
})

describe('what several redeems are done with', () => {
  test('is recorded for all of them, and read as one', async () => {
    const [first = ''] = await wantSeveral(3)
    const action = await lease(first)
    const all = [action, ...(await companionsOf(action))]
    for (const tx of ['a', 'b']) expect(await recordAttempt(store.db, all, attempt(tx))).toBe(true)
    for (const { key } of all) expect((await readAttempts(store.db, key)).map(({ tx }) => tx)).toEqual(['a', 'b'])
    expect((await readAttempts(store.db, ...all.map(({ key }) => key))).map(({ tx }) => tx)).toEqual(['a', 'b'])
  })

  test.each(['first', 'last'])('is recorded for none when one lease is lost: the %s', async (which) => {
    const [first = ''] = await wantSeveral(3)
    const action = await lease(first)
    const all = [action, ...(await companionsOf(action))]
    const lost = which === 'first' ? all[0] : all.at(-1)
    await sql`update actions set lease_until = now() - interval '1 second' where key = ${lost?.key ?? ''}`.execute(store.db)
    expect(await recordAttempt(store.db, all, { ...attempt('a'), releasesSecret: true })).toBe(false)
    expect(await readAttempts(store.db, ...all.map(({ key }) => key))).toEqual([])
    for (const { orderId } of all) expect((await findOrder(store.db, orderId))?.secretReleased).toBe(false)
  })

  test('can be recorded by two at once, in whatever sequence they have them', async () => {
    const [first = ''] = await wantSeveral(6)
    const action = await lease(first)
    const all = [action, ...(await companionsOf(action))]
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        recordAttempt(n % 2 === 0 ? store.db : store.other, n % 2 === 0 ? all : all.toReversed(), attempt(`${n}`)),
      ),
    )
    expect(results).toEqual(results.map(() => true))
    for (const { key } of all) expect(await readAttempts(store.db, key)).toHaveLength(8)
  })
})

describe('a redeem that the initiators signed too', () => {
  test('is kept for all orders in it, the newest for each, and is due now', async () => {
    const [first = '', second = '', third = ''] = await wantSeveral(3)
    await sql`update actions set due_at = now() + interval '1 hour'`.execute(store.db)
    expect(await findCosigned(store.db, first)).toBeNull()
    await keepCosigned(store.db, [first, second], 'old')
    await keepCosigned(store.db, [second], 'new')
    expect([await findCosigned(store.db, first), await findCosigned(store.db, second)]).toEqual(['old', 'new'])
    expect(await findCosigned(store.db, third)).toBeNull()
    const due = [await leaseAction(store.db, 'engine', SECONDS), await leaseAction(store.db, 'engine', SECONDS)]
    expect(due.map((action) => action?.orderId).toSorted()).toEqual([first, second])
    expect(await leaseAction(store.db, 'engine', SECONDS)).toBeNull()
  })

  test('keeps those in it together, and all others out', async () => {
    const [first = '', mate = '', other = '', waiting = ''] = await wantSeveral(4)
    await keepCosigned(store.db, [first, mate], 'ours')
    await keepCosigned(store.db, [other], 'theirs')
    const action = await lease(first)
    const mates = await companionsOf(action)
    expect(orderIds(mates)).toEqual([mate])
    await release(action, ...mates)
    expect(orderIds(await companionsOf(await lease(waiting)))).toEqual([])
  })
})

describe('redeems that share a transaction are for one holder', () => {
  const nextKey = async () => {
    await sql`update actions set due_at = now()`.execute(store.db)
    return (await leaseAction(store.other, 'another', SECONDS))?.key ?? null
  }

  test('whether others signed it', async () => {
    const [first = '', mate = '', waiting = ''] = await wantSeveral(3)
    await keepCosigned(store.db, [first, mate], 'ours')
    const action = await lease(first)
    expect(await nextKey()).toBe(redeemOf(waiting))
    expect(await nextKey()).toBeNull()
    await release(action)
    expect([redeemOf(first), redeemOf(mate)]).toContain(await nextKey())
  })

  test('or only we', async () => {
    const [first = '', mate = '', waiting = ''] = await wantSeveral(3)
    const action = await lease(first)
    const companions = await companionsOf(action)
    await recordAttempt(store.db, [action, ...companions.filter(({ orderId }) => orderId === mate)], attempt('a'))
    await release(...companions)
    expect(await nextKey()).toBe(redeemOf(waiting))
    expect(await nextKey()).toBeNull()
    await sql`update actions set lease_until = now() - interval '1 second' where key = ${redeemOf(first)}`.execute(store.db)
    expect([redeemOf(first), redeemOf(mate)]).toContain(await nextKey())
  })
})
