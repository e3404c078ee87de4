/** Tests what is counted for and against owners and apps. */
import { readCursor, recordPoll } from '@tandem/party/store/chain/events.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { addQuoteCounts, noteGains, readQuoteCounts } from '@tandem/party/store/solver/customers.ts'
import { judgeOrderRisks } from '@tandem/party/store/solver/order-risks.ts'
import { closeAnyway, sightingsOf } from '@tandem/party/store/store.fixture.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { Order } from '@tandem/protocol/order.ts'
import type { SolverOrderRequest } from '@tandem/protocol/wire/solver.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { quote } from '../quotes.ts'
import { acceptedOrder, btc, caller, freshSolver, orderRequest, user, wbtc } from '../solver.fixture.ts'
import { noCap } from './caps.ts'
import { type Customers, startCustomers } from './customers.ts'
import { haltsOf } from './risk.fixture.ts'
import { createRisk, type Risk } from './risk.ts'
import { riskSettings } from './settings.ts'

const store = sharedStore()
const solver = freshSolver(store)
let customers: Customers
let risk: Risk

const DAY = 86_400n
const now = () => solver.world.now
const log = createLogger({ name: 'test', level: 'silent' })
/** An order pays 980,000 of wrapped bitcoin at 60,000 dollars: 588 dollars. */
const WORTH = 588_000_000n

async function open(caps: ReturnType<typeof riskSettings>['caps']): Promise<void> {
  const settings = { ...riskSettings({ premium: { free_abandoned: 0, abandoned_bips: 5 } }), caps }
  customers = startCustomers({ db: store.db, log, now, ...settings, refreshMs: 3_600_000 })
  risk = createRisk({
    exposure: { assertBelowUnfinalCap: () => undefined, unrevealedPercent: () => 0n },
    halts: haltsOf(() => null),
    customers,
    ...settings,
    now,
  })
  Object.assign(solver.context, { risk })
}

beforeEach(async () => {
  await open(riskSettings().caps)
  return () => customers.stop()
})

function accept(app: string, owner: string, changes: Partial<SolverOrderRequest> = {}): Promise<Order> {
  const created = { created_at: Number(now()), deadline: Number(now()) + 3600 }
  return acceptedOrder(solver, orderRequest({ app, owner, ...created, ...changes }))
}

async function mine(chain: string, events: readonly HtlcEvent[]): Promise<void> {
  const after = await readCursor(store.db, chain)
  const height = (after?.height ?? 0n) + 1n
  const block = { height, hash: `${chain} ${height}`, parentHash: after?.hash ?? '', time: now() }
  await recordPoll(store.db, { chain, after, blocks: [block], events: events.map((event) => ({ ...event, block })), unconfirmed: [] })
}
const fund = (order: Order) => mine('bitcoin_regtest', [sightingsOf(order.source.swapId).initiated(order.source.terms.amount)])
const spend = (order: Order, leg: 'source' | 'destination', kind: 'redeemed' | 'refunded') =>
  mine(order[leg].chain, [{ ...sightingsOf(order[leg].swapId).refunded(), kind } as HtlcEvent])

test('orders without a deposit are abandoned after their deadline, per app and owner, for a day', async () => {
  await Promise.all([accept('one', 'alice'), accept('one', 'alice'), accept('one', 'bob'), accept('two', 'alice')])
  const funded = await accept('one', 'carol')
  await fund(funded)
  await customers.refresh()
  const recordsOf = (app: string, owner: string) => customers.recordsOf({ app: `a service/${app}`, owner })
  expect(recordsOf('one', 'alice')).toMatchObject({ app: { abandoned: 0 }, owner: { abandoned: 0 } })
  solver.world.now += 3600n + 601n
  await customers.refresh()
  expect(recordsOf('one', 'alice')).toMatchObject({ app: { abandoned: 3 }, owner: { abandoned: 2 } })
  expect(recordsOf('one', 'carol').owner.abandoned).toBe(0)
  // A redeemed order is completed when it is final.
  await spend(funded, 'source', 'redeemed')
  await customers.refresh()
  expect(recordsOf('one', 'carol').app.completed).toBe(0)
  await closeAnyway(store.db, funded.id)
  await customers.refresh()
  expect(recordsOf('one', 'carol').app.completed).toBe(1)
  expect(recordsOf('two', 'bob')).toMatchObject({ app: { abandoned: 1 }, owner: { abandoned: 0 } })
  expect(risk.premiumBips({ app: 'a service/one', owner: 'alice', clientSecret: false })).toBe(10)
  solver.world.now += DAY
  await customers.refresh()
  expect(recordsOf('one', 'alice').owner.abandoned).toBe(0)
})

test('an owner with a premium is offered less than the quote, in words that do not blame the price', async () => {
  await Promise.all(Array.from({ length: 20 }, () => accept('one', 'alice')))
  solver.world.now += 3600n + 601n
  await customers.refresh()
  expect(risk.premiumBips({ app: 'a service/one', owner: 'alice', clientSecret: false })).toBe(100)
  await accept('one', 'bob')
  const request = { from: btc, to: wbtc, from_amount: '1000000', extra_fee_bips: 0, indicative: false, app: 'one' }
  expect((await quote(solver.context, request, caller)).destination_amount).toBe('980000')
  await expect(accept('one', 'alice')).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('add 100 hundredths of a percent'),
  })
  await accept('one', 'alice', { destination: { asset: wbtc, amount: '970000', redeemer: user } })
})

test('a secret that the client kept until the solver took its payment back is withheld, counts less with time, and the end of a closed order is final', async () => {
  const [kept, ours] = [await accept('one', 'alice', { client_secret: true }), await accept('one', 'bob')]
  for (const order of [kept, ours]) await fund(order)
  // The timelock ends later than the window: the order counts from when the payment came back.
  solver.world.now += 2n * DAY
  for (const order of [kept, ours]) await spend(order, 'destination', 'refunded')
  await customers.refresh()
  const ofAlice = () => customers.recordsOf({ app: 'a service/one', owner: 'alice' })
  expect(ofAlice().owner).toMatchObject({ abandoned: 0, withheld: 1, withheldUsd: WORTH, withheldLately: WORTH, completed: 0, paid: 1 })
  expect(customers.recordsOf({ app: 'a service/one', owner: 'bob' }).owner.withheld).toBe(0)
  // The order is worth 588 of 1000 dollars. Another owner of the app pays nothing for it.
  expect(risk.premiumBips({ app: 'a service/one', owner: 'alice', clientSecret: true })).toBe(30)
  expect(risk.premiumBips({ app: 'a service/one', owner: 'carol', clientSecret: true })).toBe(0)
  expect(risk.premiumBips({ app: 'a service/one', owner: 'alice', clientSecret: false })).toBe(0)
  solver.world.now += DAY / 2n
  await customers.refresh()
  expect(ofAlice().owner).toMatchObject({ withheldUsd: WORTH, withheldLately: WORTH / 2n })
  // A reorg undid the refund, and the order completed after all.
  await store.db.deleteFrom('events').where('kind', '=', 'refunded').execute()
  await spend(kept, 'source', 'redeemed')
  await closeAnyway(store.db, kept.id)
  await customers.refresh()
  expect(ofAlice().app).toMatchObject({ withheld: 0, completed: 1, completedUsd: WORTH })
  // The order counts from its first end on.
  solver.world.now += DAY / 2n
  await customers.refresh()
  expect(ofAlice().app.completed).toBe(0)
})

test('a deposit that its user took back before the solver paid counts as an abandoned order, unless the solver declined it', async () => {
  const [cancelled, declined, paid] = [await accept('one', 'alice'), await accept('one', 'bob'), await accept('one', 'carol')]
  await mine(paid.destination.chain, [sightingsOf(paid.destination.swapId).initiated(paid.destination.terms.amount)])
  for (const order of [cancelled, declined, paid]) {
    await fund(order)
    await spend(order, 'source', 'refunded')
  }
  await store.db.updateTable('orders').set({ declined: 'the price has moved' }).where('id', '=', declined.id).execute()
  for (const order of [cancelled, declined, paid]) await closeAnyway(store.db, order.id)
  await customers.refresh()
  const of = (owner: string) => customers.recordsOf({ app: 'a service/one', owner }).owner
  expect(of('alice')).toMatchObject({ abandoned: 1, abandonedUsd: WORTH, paid: 0 })
  expect([of('bob').abandoned, of('carol').abandoned]).toEqual([0, 0])
})

test('the price moves in favour of users before they funded are added up for paid orders, by owner and app', async () => {
  const orders = await Promise.all(['alice', 'alice', 'alice', 'bob', 'alice'].map((owner) => accept('one', owner)))
  for (const order of orders.slice(0, 4)) {
    await fund(order)
    customers.noteGain(order.id, 1n)
    customers.noteGain(order.id, WORTH / 100n)
    await spend(order, 'source', 'redeemed')
    await closeAnyway(store.db, order.id)
  }
  for (let left = 0; left < 2; left += 1) await accept('one', 'alice')
  solver.world.now += 3600n + 601n
  await customers.refresh()
  const gainOf = (owner: string) => customers.recordsOf({ app: 'a service/one', owner })
  expect(gainOf('alice').owner).toMatchObject({ paid: 3, paidUsd: 3n * WORTH, gainedUsd: (3n * WORTH) / 100n, abandoned: 3 })
  expect(gainOf('alice').app.gainedUsd).toBe((4n * WORTH) / 100n)
  // The premium is the gain of 1 % less the free part.
  expect(risk.premiumBips({ app: 'a service/one', owner: 'alice', clientSecret: false })).toBe(90)
  expect(risk.premiumBips({ app: 'a service/one', owner: 'bob', clientSecret: false })).toBe(0)
})

test('quotes are counted by app and hour, and kept from others less if they are hardly ever taken', async () => {
  const ask = (app: string, indicative = false) =>
    quote(solver.context, { from: btc, to: wbtc, from_amount: '1000000', extra_fee_bips: 0, indicative, app }, caller)
  await ask('idle', true)
  for (let asked = 0; asked < 100; asked += 1) {
    if (asked === 50) await customers.refresh()
    await ask('idle')
  }
  await ask('other')
  const held = (app: string) => solver.context.soft.heldByOthers(wbtc, [`quotes a service/${app}`], 10n ** 9n)
  expect([held('other'), held('idle')]).toEqual([980_000n, 980_000n])
  await customers.refresh()
  expect(customers.recordsOf({ app: 'a service/idle', owner: null }).quotes).toEqual({ quotes: 100, quotedUsd: 100n * WORTH })
  await ask('idle')
  expect([held('other'), held('idle')]).toEqual([0n, 980_000n])
  solver.world.now += DAY + 3600n
  await customers.refresh()
  expect(customers.recordsOf({ app: 'a service/idle', owner: null }).quotes.quotes).toBe(1)
})

test('a cap of an owner or an app counts an order at once, and again from the database; others are not affected', async () => {
  const cap = { ...noCap, openOrders: 2 }
  for (const caps of [
    { pair: noCap, app: noCap, owner: cap },
    { pair: noCap, app: cap, owner: noCap },
  ]) {
    const app = caps.app === cap ? 'second' : 'first'
    await customers.stop()
    await open(caps)
    await customers.refresh()
    await accept(app, 'alice')
    await accept(app, 'alice')
    const refusal = expect.objectContaining({ code: 'conflict', message: expect.stringContaining('2 orders are open, of 2') })
    await expect(accept(app, 'alice')).rejects.toEqual(refusal)
    await customers.refresh()
    await expect(accept(app, 'alice')).rejects.toEqual(refusal)
    await accept('another', 'alice')
    solver.world.now += 3601n
    await customers.refresh()
    await accept(app, 'alice')
  }
})

test('a cap of a pair counts only orders with reserved inventory: nobody uses it up without money', async () => {
  await customers.stop()
  await open({ pair: { ...noCap, openUsdMicros: WORTH * 2n - 1n }, app: noCap, owner: noCap })
  const [order] = await Promise.all([accept('one', 'alice'), accept('one', 'alice'), accept('one', 'alice')])
  await customers.refresh()
  expect(risk.leftUsdMicros(btc, wbtc)).toBe(WORTH * 2n - 1n)
  await store.db.insertInto('reservations').values({ order_id: order.id, asset: wbtc, amount: 980_000n }).execute()
  // The clock of the database decides when the inventory was reserved.
  solver.world.now = BigInt(Math.floor(Date.now() / 1000))
  await customers.refresh()
  expect(risk.leftUsdMicros(btc, wbtc)).toBe(WORTH - 1n)
  await expect(accept('one', 'alice')).rejects.toMatchObject({ code: 'amount_out_of_range' })
  expect(risk.leftUsdMicros(wbtc, btc)).toBe(WORTH * 2n - 1n)
})

test('gains of orders that another engine writes at the same time are noted later, and nobody waits', async () => {
  const [one, other] = [await accept('one', 'alice'), await accept('one', 'alice')]
  const gains = [one, other].map(({ id }) => ({ orderId: id, usdMicros: 5n }))
  const gained = async () =>
    (await store.db.selectFrom('order_risks').select('gained_usd_micros').execute()).map((row) => row.gained_usd_micros)
  solver.world.now += 2n * DAY
  await store.db.transaction().execute(async (tx) => {
    await tx.selectFrom('order_risks').select('order_id').where('order_id', '=', one.id).forUpdate().execute()
    expect(await noteGains(store.db, gains)).toEqual(gains.slice(0, 1))
    expect(await judgeOrderRisks(store.db, now())).toBe(1)
  })
  expect(await noteGains(store.db, gains)).toEqual([])
  expect(await gained()).toEqual([5n, 5n])
  expect(await judgeOrderRisks(store.db, now())).toBe(1)
})

test('engines that count quotes of the same apps do not deadlock', async () => {
  const count = (...apps: readonly string[]) =>
    addQuoteCounts(
      store.db,
      apps.map((app) => ({ app, quotes: 1, usdMicros: 1n })),
      now(),
    )
  const waiting = sql`select from pg_stat_activity
    where wait_event_type = 'Lock' and query like '%into quote_counts%' and datname = current_database()`
  await count('a', 'b')
  let counting = Promise.resolve()
  await store.db.transaction().execute(async (tx) => {
    const lock = (app: string) => tx.selectFrom('quote_counts').select('app').where('app', '=', app).forUpdate().execute()
    await lock('a')
    counting = count('b', 'a')
    await expect.poll(async () => (await waiting.execute(store.db)).rows.length).toBe(1)
    await lock('b')
  })
  await counting
  expect((await readQuoteCounts(store.db, now() - DAY)).get('b')?.quotes).toBe(2)
})
