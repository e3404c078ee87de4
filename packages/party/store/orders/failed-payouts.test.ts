/** Tests which failed payouts count against a recipient. */
import type { ActionVerb, Leg } from '@tandem/protocol/order.ts'
import { beforeAll, expect, test } from 'vitest'
import { leaseAction, syncWanted } from '../actions/actions.ts'
import { finishAction } from '../actions/finish-action.ts'
import { noteReverted } from '../actions/reverted-relays.ts'
import { createApp } from '../apps/apps.ts'
import { sharedStore } from '../shared-store.fixture.ts'
import { commitTo } from '../solver/commitments.ts'
import { NOW, putOrder, recordAttempt } from '../store.fixture.ts'
import { readFailedPayouts, readPayoutParties } from './failed-payouts.ts'

const store = sharedStore()
beforeAll(async () => {
  await createApp(store.db, 'shop')
})

const parties = { chain: 'ethereum_localnet', recipient: 'user', owner: 'alice', app: 'shop' }
const weightOf = async (id: string) => (await readFailedPayouts(store.db)).find(({ orderId }) => orderId === id)?.weight

async function leased(leg: Leg, verb: ActionVerb) {
  const { order } = await putOrder(store.db, { app: 'shop', sourceOwner: 'alice', destinationOwner: 'user' })
  await syncWanted(store.db, [order.id], [{ orderId: order.id, leg, verb }])
  const action = await leaseAction(store.db, 'engine', 60)
  if (action?.orderId !== order.id) throw new Error('another action is due')
  return action
}

const refused = { kind: 'failed', error: 'e', againInMs: 60_000, refusal: 'the recipient rejects' } as const

test('a refused and a reverted payout are remembered with their parties, each order once', async () => {
  const action = await leased('destination', 'redeem')
  await finishAction(store.db, action, refused)
  expect(await readFailedPayouts(store.db)).toEqual([{ ...parties, orderId: action.orderId, weight: 1, service: '' }])
  const attempt = { raw: 'raw', slots: [], feeRate: 1n, at: NOW, chain: parties.chain, sender: 'relay', holdsSecret: true, tx: 'tx' }
  const second = await leased('destination', 'redeem')
  await recordAttempt(store.db, [second], attempt)
  await noteReverted(store.db, [second.key], 'tx')
  // A reorg, or another redeem of its batch, may have been the cause.
  expect(await weightOf(second.orderId)).toBeUndefined()
  await finishAction(store.db, second, refused)
  expect(await weightOf(second.orderId)).toBe(3)
  expect(await readPayoutParties(store.db, second.orderId)).toEqual(parties)
})

test('a payout that reverts twice is the fault of its recipient, also if the trial in between passed', async () => {
  const action = await leased('destination', 'redeem')
  for (const [tx, weight] of [
    ['tx1', undefined],
    ['tx2', 3],
  ] as const) {
    const attempt = { raw: tx, slots: [], feeRate: 1n, at: NOW, chain: parties.chain, sender: 'relay', holdsSecret: true, tx }
    await recordAttempt(store.db, [action], attempt)
    for (let repeat = 0; repeat < 2; repeat += 1) await noteReverted(store.db, [action.key], tx)
    expect(await weightOf(action.orderId)).toBe(weight)
  }
})

test('other actions, failures without a refusal and failures of a day ago do not count', async () => {
  const other = await leased('source', 'initiate')
  await finishAction(store.db, other, refused)
  const trouble = await leased('destination', 'redeem')
  await finishAction(store.db, trouble, { kind: 'failed', error: 'the node does not answer', againInMs: 60_000 })
  const old = await leased('destination', 'redeem')
  await finishAction(store.db, old, refused)
  await store.db
    .updateTable('failed_payouts')
    .set({ at: new Date(Date.now() - 86_401_000) })
    .where('order_id', '=', old.orderId)
    .execute()
  for (const { orderId } of [other, trouble, old]) expect(await weightOf(orderId)).toBeUndefined()
})

test('a solver remembers locks that came back unredeemed, but not those that it never made', async () => {
  const failing = async (locks: boolean) => {
    const { order } = await putOrder(store.db, { app: null })
    await store.db
      .insertInto('order_risks')
      .values({ order_id: order.id, app: '', owner: '', pair: 'p', usd_micros: 1n, created_at: NOW, deadline: NOW })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await commitTo(store.db, order.id, locks ? 'locked' : 'refund_signed')
    await store.db.updateTable('order_risks').set({ outcome: 'failed' }).where('order_id', '=', order.id).execute()
    return weightOf(order.id)
  }
  expect([await failing(true), await failing(false)]).toEqual([1, undefined])
})
