/** Tests which redeems are leased together. */
import type { HtlcVerb } from '@tandem/protocol/htlc.ts'
import { actionKey, type Leg } from '@tandem/protocol/order.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../database/database.ts'
import { findOrder } from '../orders/orders.ts'
import { sharedStore } from '../shared-store.fixture.ts'
import { type ExampleChanges, NOW, putOrder, recordAttempt } from '../store.fixture.ts'
import { type LeasedAction, leaseAction, leaseActions, syncWanted } from './actions.ts'
import { readAttempts } from './attempts.ts'
import { findCosigned, keepCosigned, leaseBatch } from './batches.ts'
import { finishAction } from './finish-action.ts'

const store = sharedStore()
beforeEach(async () => {
  for (const table of ['attempts', 'actions', 'cosigned_redeems'] as const) await store.db.deleteFrom(table).execute()
})

const SECONDS = 60
const chain = 'bitcoin_regtest'
const redeemOf = (orderId: string) => actionKey(orderId, 'source', 'redeem')

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

async function lease(orderId: string): Promise<LeasedAction> {
  await sql`update actions set due_at = now() + interval '1 hour' where key <> ${redeemOf(orderId)}`.execute(store.db)
  await sql`update actions set due_at = now() where key = ${redeemOf(orderId)}`.execute(store.db)
  const leased = await leaseAction(store.db, 'engine', SECONDS)
  if (leased === null) throw new Error('nothing to lease')
  return leased
}
const batchOf = async (action: LeasedAction, limit = 49, db: Database = store.db) =>
  (await leaseBatch(db, action, { seconds: SECONDS, limit })).toSorted((a, b) => (a.key < b.key ? -1 : 1))
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
  holdsSecret: false,
})

describe('leasing a batch', () => {
  test('leaves out a redeem that gives gas, which no batch does: each lease would put it off', async () => {
    const [first, second] = [await want(), await want()]
    await want('source', 'redeem', { source: { gas: 1n } })
    expect(orderIds(await batchOf(await lease(first)))).toEqual([second])
  })

  test('takes all waiting redeems of the same leg and chain, due or not', async () => {
    const [first = '', ...others] = await wantSeveral(3)
    await want('source', 'refund')
    await want('destination', 'redeem', { source: { chain: 'ethereum_localnet' }, destination: { chain } })
    await want('source', 'redeem', { source: { chain: 'litecoin_regtest' } })
    const dropped = await want()
    await syncWanted(store.db, [dropped], [])
    const action = await lease(first)
    const batch = await batchOf(action)
    expect(orderIds(batch)).toEqual(others)
    expect(batch).toMatchObject(others.map((id) => ({ key: redeemOf(id), holder: 'engine', fence: 1n, cancelling: false })))
  })

  test('takes no more than the limit, the most overdue first', async () => {
    const [first = '', late, soon] = await wantSeveral(3)
    const action = await lease(first)
    await sql`update actions set due_at = now() + interval '2 hours' where key = ${redeemOf(soon ?? '')}`.execute(store.db)
    expect(orderIds(await batchOf(action, 1))).toEqual([late])
  })

  test('takes none with an attempt while the first has none', async () => {
    const [first = '', signed = '', waiting = ''] = await wantSeveral(3)
    const other = await lease(signed)
    await recordAttempt(store.db, [other], attempt('a'))
    await release(other)
    expect(orderIds(await batchOf(await lease(first)))).toEqual([waiting])
  })

  test('takes exactly those that share a transaction with the first, once it has an attempt', async () => {
    const [first = '', mate = '', stranger = ''] = await wantSeveral(4)
    const action = await lease(first)
    const batch = await batchOf(action)
    await recordAttempt(store.db, [action, ...batch.filter(({ orderId }) => orderId === mate)], attempt('together'))
    await recordAttempt(
      store.db,
      batch.filter(({ orderId }) => orderId === stranger),
      attempt('alone'),
    )
    await release(action, ...batch)
    expect(orderIds(await batchOf(await lease(first)))).toEqual([mate])
  })

  test('takes none that is leased by another, until that lease has expired', async () => {
    const [first = '', held = ''] = await wantSeveral(2)
    await lease(held)
    const action = await lease(first)
    expect(await batchOf(action)).toEqual([])
    await sql`update actions set lease_until = now() - interval '1 second' where key = ${redeemOf(held)}`.execute(store.db)
    expect(orderIds(await batchOf(action))).toEqual([held])
  })

  test('is left to one action: of redeems that may go together, several leases at once take only the most overdue', async () => {
    const [first = '', second = ''] = await wantSeveral(3)
    await sql`update actions set due_at = now() - interval '1 minute' where key = ${redeemOf(second)}`.execute(store.db)
    const [leased, ...more] = await leaseActions(store.db, 'engine', SECONDS, { limit: 10 })
    expect([leased?.orderId, more]).toEqual([second, []])
    if (leased === undefined) throw new Error('nothing to lease')
    expect(orderIds(await batchOf(leased))).toContain(first)
  })

  test('is tried only if another redeem waits, or shares a transaction', async () => {
    const [first = ''] = await wantSeveral(1)
    const alone = await lease(first)
    expect(alone.mayBatch).toBe(false)
    await release(alone)
    await want('destination', 'redeem')
    const [second = ''] = await wantSeveral(1)
    const action = await lease(first)
    expect(action.mayBatch).toBe(true)
    const [other] = await batchOf(action)
    expect(other).toMatchObject({ orderId: second, mayBatch: false })
    if (other === undefined) throw new Error('expected a batch')
    await recordAttempt(store.db, [action, other], attempt('a'))
    for (const one of [action, other]) await finishAction(store.db, one, { kind: 'sent', tx: 'a', againInMs: 0 })
    const third = await want()
    expect([(await lease(first)).mayBatch, (await lease(third)).mayBatch]).toEqual([true, false])
  })

  test('is tried by a sent redeem if one that was never sent waits', async () => {
    const [sent = '', unsent = ''] = await wantSeveral(2)
    const action = await lease(sent)
    await recordAttempt(store.db, [action], attempt('alone'))
    await finishAction(store.db, action, { kind: 'sent', tx: 'alone', againInMs: 0 })
    expect((await lease(sent)).mayBatch).toBe(true)
    await sql`update actions set last_tx = 'another' where key = ${redeemOf(unsent)}`.execute(store.db)
    await sql`update actions set lease_until = null`.execute(store.db)
    expect((await lease(sent)).mayBatch).toBe(false)
  })

  test('is tried if the others of its transaction were sent too', async () => {
    const [first = '', second = ''] = await wantSeveral(2)
    const action = await lease(first)
    const [other] = await batchOf(action)
    if (other === undefined) throw new Error('expected a batch')
    await recordAttempt(store.db, [action, other], attempt('a'))
    for (const one of [action, other]) await finishAction(store.db, one, { kind: 'sent', tx: 'a', againInMs: 0 })
    expect((await lease(second)).mayBatch).toBe(true)
  })

  test('has redeems of one redeemer only: those of others are leased beside it', async () => {
    const [first = '', second = '', third = ''] = await wantSeveral(3)
    await sql`update swaps set redeemer = 'somebody else' where order_id = ${third} and leg = 'source'`.execute(store.db)
    const leased = await leaseActions(store.db, 'engine', SECONDS, { limit: 10 })
    expect(leased).toHaveLength(2)
    const ours = leased.find(({ orderId }) => orderId !== third)
    if (ours === undefined) throw new Error('nothing to lease')
    expect([...orderIds(await batchOf(ours)), ours.orderId].toSorted()).toEqual([first, second].toSorted())
  })

  test('never gives one action to two holders', async () => {
    await wantSeveral(8)
    const [one, two] = [await leaseAction(store.db, 'one', SECONDS), await leaseAction(store.other, 'two', SECONDS)]
    if (one === null || two === null) throw new Error('nothing to lease')
    const taken = await Promise.all([batchOf(one, 4), batchOf(two, 4, store.other)])
    const keys = [one, two, ...taken.flat()].map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
    const rest = [...(await batchOf(one)), ...(await batchOf(two))]
    expect(new Set([...keys, ...rest.map(({ key }) => key)]).size).toBe(8)
  })

  test('skips rows that another transaction has locked', async () => {
    const [first = ''] = await wantSeveral(3)
    const action = await lease(first)
    await store.other.transaction().execute(async (tx) => {
      expect(await batchOf({ ...action, holder: 'slow' }, 1, tx)).toHaveLength(1)
      await store.db.transaction().execute(async (quick) => {
        await sql`set local lock_timeout = '5s'`.execute(quick)
        expect(await batchOf(action, 49, quick)).toHaveLength(1)
      })
    })
  })
})

describe('an attempt of a batch', () => {
  test('is recorded for all of its actions, and read once', async () => {
    const [first = ''] = await wantSeveral(3)
    const action = await lease(first)
    const all = [action, ...(await batchOf(action))]
    for (const tx of ['a', 'b']) expect(await recordAttempt(store.db, all, attempt(tx))).toBe(true)
    for (const { key } of all) expect((await readAttempts(store.db, key)).map(({ tx }) => tx)).toEqual(['a', 'b'])
    expect((await readAttempts(store.db, ...all.map(({ key }) => key))).map(({ tx }) => tx)).toEqual(['a', 'b'])
  })

  test.each(['first', 'last'])('is recorded for none when one lease is lost: the %s', async (which) => {
    const [first = ''] = await wantSeveral(3)
    const action = await lease(first)
    const all = [action, ...(await batchOf(action))]
    const lost = which === 'first' ? all[0] : all.at(-1)
    await sql`update actions set lease_until = now() - interval '1 second' where key = ${lost?.key ?? ''}`.execute(store.db)
    expect(await recordAttempt(store.db, all, { ...attempt('a'), holdsSecret: true })).toBe(false)
    expect(await readAttempts(store.db, ...all.map(({ key }) => key))).toEqual([])
    for (const { orderId } of all) expect((await findOrder(store.db, orderId))?.secretSigned).toBe(false)
  })

  test('can be recorded by two holders at once in any order, without a deadlock', async () => {
    const [first = ''] = await wantSeveral(6)
    const action = await lease(first)
    const all = [action, ...(await batchOf(action))]
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        recordAttempt(n % 2 === 0 ? store.db : store.other, n % 2 === 0 ? all : all.toReversed(), attempt(`${n}`)),
      ),
    )
    expect(results).toEqual(results.map(() => true))
    for (const { key } of all) expect(await readAttempts(store.db, key)).toHaveLength(8)
  })
})

describe('a cosigned redeem', () => {
  test('is stored for all orders in it, the newest for each, and is due now', async () => {
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

  test('is leased with exactly the orders in it', async () => {
    const [first = '', mate = '', other = '', waiting = ''] = await wantSeveral(4)
    await keepCosigned(store.db, [first, mate], 'ours')
    await keepCosigned(store.db, [other], 'theirs')
    const action = await lease(first)
    const mates = await batchOf(action)
    expect(orderIds(mates)).toEqual([mate])
    await release(action, ...mates)
    expect(orderIds(await batchOf(await lease(waiting)))).toEqual([])
  })
})

test('keeping a cosigned redeem locks in the order of keys, as a record does: neither can deadlock the other', async () => {
  const [low = '', high = ''] = await wantSeveral(2)
  // The row of the higher key is now the first in the table.
  for (const id of [high, low]) await sql`update actions set failures = failures + 1 where key = ${redeemOf(id)}`.execute(store.db)
  let kept: Promise<void> | undefined
  await store.other.transaction().execute(async (tx) => {
    await sql`select from actions where key = ${redeemOf(low)} for update`.execute(tx)
    kept = keepCosigned(store.db, [high, low], 'cosigned')
    const waits = sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%due_at = now()%'`
    await expect.poll(async () => (await waits.execute(store.db)).rows.length).toBe(1)
    await sql`set local lock_timeout = '200ms'`.execute(tx)
    await sql`select from actions where key = ${redeemOf(high)} for update`.execute(tx)
  })
  await kept
  expect(await findCosigned(store.db, high)).toBe('cosigned')
})

describe('redeems that share a transaction go to one holder', () => {
  const nextKey = async () => {
    await sql`update actions set due_at = now()`.execute(store.db)
    return (await leaseAction(store.other, 'another', SECONDS))?.key ?? null
  }

  test('when it is cosigned', async () => {
    const [first = '', mate = '', waiting = ''] = await wantSeveral(3)
    await keepCosigned(store.db, [first, mate], 'ours')
    const action = await lease(first)
    expect(await nextKey()).toBe(redeemOf(waiting))
    expect(await nextKey()).toBeNull()
    await release(action)
    expect([redeemOf(first), redeemOf(mate)]).toContain(await nextKey())
  })

  test('when it is not', async () => {
    const [first = '', mate = '', waiting = ''] = await wantSeveral(3)
    const action = await lease(first)
    const batch = await batchOf(action)
    await recordAttempt(store.db, [action, ...batch.filter(({ orderId }) => orderId === mate)], attempt('a'))
    await release(...batch)
    expect(await nextKey()).toBe(redeemOf(waiting))
    expect(await nextKey()).toBeNull()
    await sql`update actions set lease_until = now() - interval '1 second' where key = ${redeemOf(first)}`.execute(store.db)
    expect([redeemOf(first), redeemOf(mate)]).toContain(await nextKey())
  })
})
