/** Tests what is read about actions and attempts of orders. */
import { prefundedGrant } from '@tandem/protocol/grants.fixture.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import { type ActionVerb, actionKey, type Leg, type Order } from '@tandem/protocol/order.ts'
import { relayLimits } from '@tandem/protocol/relay-limits.ts'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createApp } from '../apps/apps.ts'
import { addSponsoredInitiate } from '../apps/sponsorship.ts'
import { recordPoll } from '../chain/events.ts'
import { publishPoll, readClock } from '../chain/polls.ts'
import { addGrant } from '../orders/grants.ts'
import { findOrder, findOrderSnapshots } from '../orders/orders.ts'
import { sharedStore } from '../shared-store.fixture.ts'
import { blockOf, exampleOrder, NOW, openTestStore, putOrder, recordAttempt, sightingsOf, withResults } from '../store.fixture.ts'
import { readActionFacts } from './action-facts.ts'
import { leaseAction, leaseActions, makeActionDue, syncWanted } from './actions.ts'
import { readAttempts } from './attempts.ts'
import { finishAction } from './finish-action.ts'
import { createLiveActions } from './live-actions.ts'
import { noteReverted, readRevertedRelays } from './reverted-relays.ts'

const chain = 'bitcoin_regtest'
const store = sharedStore()

const refundOf = ({ id, source }: Order) =>
  ({ key: actionKey(id, 'source', 'refund'), chain: source.chain, swapId: source.swapId, shows: 'refunded' }) as const
const refunded = (event: HtlcEvent, tx: string): HtlcEvent => ({ ...event, tx, deposit: `deposit of ${tx}` })

test('tells what was sent, what the chain shows, the newest last, and why it is refused', async () => {
  const [{ order }, { order: other }] = [await putOrder(store.db), await putOrder(store.db)]
  const read = createLiveActions(store.db)
  expect(await read(refundOf(order))).toEqual({ lastTx: null, refusal: null, seen: [] })
  const { key } = refundOf(order)
  const action = { key, order_id: order.id, leg: 'source', verb: 'refund', wanted: true } as const
  await store.db
    .insertInto('actions')
    .values({ ...action, last_tx: 'sent', refusal: 'no' })
    .execute()
  const [first, second] = [blockOf(1n), blockOf(2n)]
  const on = (block: typeof first | null) => sightingsOf(order.source.swapId, block)
  await recordPoll(store.db, {
    chain,
    after: null,
    blocks: [first, second],
    events: [on(first).initiated(), refunded(on(second).refunded(), 'newer'), refunded(on(first).refunded(), 'older')],
    unconfirmed: [refunded(on(null).refunded(), 'unconfirmed')],
  })
  expect(await read(refundOf(order))).toEqual({ lastTx: 'sent', refusal: 'no', seen: ['older', 'newer', 'unconfirmed'] })
  const several = await Promise.all([order, order, order, other, order].map((one) => read(refundOf(one))))
  expect(several.map(({ lastTx }) => lastTx)).toEqual(['sent', 'sent', 'sent', null, 'sent'])
})

describe('due time', () => {
  const store = sharedStore()
  afterEach(() => {
    vi.useRealTimers()
  })

  test('an action is due by the clock of the database: that of a process may be ahead', async () => {
    const { order } = await putOrder(store.db)
    const redeem = { orderId: order.id, leg: 'destination', verb: 'redeem' } as const
    const lease = () => leaseAction(store.db, 'me', 60)
    await syncWanted(store.db, [order.id], [redeem])
    const first = await lease()
    if (first === null) throw new Error('nothing is due')
    await finishAction(store.db, first, { kind: 'sent', tx: 't', againInMs: 3_600_000 })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
    await syncWanted(store.db, [order.id], [])
    await syncWanted(store.db, [order.id], [redeem])
    const second = await lease()
    expect(second).toMatchObject(redeem)
    if (second === null) return
    await finishAction(store.db, second, { kind: 'failed', error: 'no', againInMs: 3_600_000 })
    await makeActionDue(store.db, actionKey(order.id, redeem.leg, redeem.verb))
    expect(await lease()).toMatchObject(redeem)
  })
})

describe('reverted relays', () => {
  test('reverted relays count against an initiator, or against who prefunded the order in their name', async () => {
    const store = await openTestStore()
    await createApp(store.db, 'shop')
    const { chain } = exampleOrder().order.source
    const revertFor = async (payer: string | null, grant: (orderId: string) => Promise<unknown>) => {
      const { terms } = exampleOrder().order.source
      const { order } = await putOrder(store.db, { app: 'shop', source: { payer, terms: { ...terms, initiator: 'alice' } } })
      await grant(order.id)
      await syncWanted(store.db, [order.id], [{ orderId: order.id, leg: 'source', verb: 'initiate' }])
      const leased = await leaseAction(store.db, 'engine', 60)
      if (leased?.orderId !== order.id) throw new Error('another action is due')
      const attempt = { raw: 'raw', slots: [], feeRate: 1n, at: NOW, chain, sender: 'relay', holdsSecret: false }
      await recordAttempt(store.db, [leased], { ...attempt, tx: order.id })
      await noteReverted(store.db, [leased.key], order.id)
    }
    await revertFor('mallory', (id) => addGrant(store.db, id, prefundedGrant(NOW)))
    expect(await readRevertedRelays(store.db, chain, 'alice')).toEqual([])
    expect(await readRevertedRelays(store.db, chain, 'mallory')).toHaveLength(1)
    await revertFor(null, (id) => addGrant(store.db, id, prefundedGrant(NOW)))
    expect(await readRevertedRelays(store.db, chain, 'alice')).toHaveLength(1)
    await revertFor('mallory', (id) =>
      addSponsoredInitiate(
        store.db,
        id,
        { kind: 'signature', signature: 'signed' },
        { app: 'shop', perDay: null, spendable: null, limits: relayLimits.byKey },
      ),
    )
    expect(await readRevertedRelays(store.db, chain, 'alice')).toHaveLength(2)
    expect(await readRevertedRelays(store.db, chain, 'mallory')).toHaveLength(1)
    await store.close()
  })
})

describe('action facts', () => {
  const store = sharedStore()

  async function attempted(txs: readonly string[], leg: Leg = 'destination', verb: ActionVerb = 'initiate') {
    const { order } = await putOrder(store.db)
    await syncWanted(store.db, [order.id], [{ orderId: order.id, leg, verb }])
    const action = (await leaseActions(store.db, 'engine', 60, { limit: 50 })).find(({ orderId }) => orderId === order.id)
    if (action === undefined) throw new Error('nothing to lease')
    for (const [index, tx] of txs.entries()) {
      const numbers = { nonce: 2n ** 60n + BigInt(index), feeRate: 10n ** 30n, at: NOW }
      const attempt = { tx, raw: `raw ${tx}`, slots: [`slot ${tx}`, 'other'], ...numbers, chain: 'ethereum_localnet', sender: 'solver' }
      await recordAttempt(store.db, [action], { ...attempt, holdsSecret: false })
    }
    return { order, action }
  }

  test('concurrent actions share a statement, and each gets its own order and attempts', async () => {
    const two = await attempted(['a', 'b'])
    const none = await attempted([])
    let statements = 0
    const db = withResults(store.db, () => (statements += 1))
    const queries = [
      { orderId: two.order.id, key: two.action.key },
      { orderId: none.order.id, key: none.action.key },
      { orderId: two.order.id, key: null },
      { orderId: 'unknown', key: none.action.key },
      { orderId: two.order.id, key: two.action.key },
    ]
    const read = await Promise.all(queries.map((query) => readActionFacts(db, query)))
    expect(read.map((facts) => facts?.stored.order.id ?? null)).toEqual([two.order.id, none.order.id, two.order.id, null, two.order.id])
    expect(read.map((facts) => facts?.attempts.map(({ tx }) => tx))).toEqual([['a', 'b'], [], [], undefined, ['a', 'b']])
    expect(read[0]?.attempts).toEqual(await readAttempts(store.db, two.action.key))
    expect(read[0]?.stored).toEqual(await findOrder(store.db, two.order.id))
    expect(statements).toBeLessThanOrEqual(3)
  })

  test('with the tip, the events and the published poll of each leg', async () => {
    const { order, action } = await attempted([])
    const facts = () => readActionFacts(store.db, { orderId: order.id, key: action.key })
    const nothing = { tip: null, events: [], publishedAgeMs: null }
    expect((await facts())?.legs).toEqual({ source: nothing, destination: nothing })
    const block = { chain: order.source.chain, height: 7n, hash: 'seven', parent_hash: 'six', time: NOW }
    await store.db.insertInto('blocks').values(block).execute()
    await publishPoll(store.db, order.source.chain, { hash: 'seven', beganAt: (await readClock(store.db)) - 1000 })
    const legs = (await facts())?.legs
    expect(legs?.destination).toEqual(nothing)
    expect(legs?.source.tip).toEqual({ height: 7n, hash: 'seven', time: NOW })
    expect(legs?.source.tip).toEqual((await findOrderSnapshots(store.db, [order.id]))[0]?.tips.source)
    expect(legs?.source.publishedAgeMs).toBeGreaterThanOrEqual(1000)
    expect(legs?.source.publishedAgeMs).toBeLessThan(10_000)
    await store.db
      .insertInto('blocks')
      .values({ ...block, height: 8n, hash: 'eight', parent_hash: 'seven' })
      .execute()
    expect((await facts())?.legs.source).toMatchObject({ tip: { hash: 'eight' }, publishedAgeMs: expect.any(Number) })
    await store.db.updateTable('blocks').set({ hash: 'another seven' }).where('height', '=', 7n).execute()
    expect((await facts())?.legs.source).toMatchObject({ tip: { hash: 'eight' }, publishedAgeMs: null })
  })
})
