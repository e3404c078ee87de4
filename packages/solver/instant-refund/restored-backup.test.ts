// Tests that the solver's database is restored from a backup: it has forgotten that it signed a refund, or a payment. A holder of that
// signature could take both legs.
import { mkdir, mkdtemp, rename, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RollbackGuard, startRollbackGuard } from '@tandem/party/engine/rollback/rollback-guard.ts'
import { confirmRollbacks } from '@tandem/party/store/database/rollbacks.ts'
import { sightingsOf } from '@tandem/party/store/store.fixture.ts'
import { actionKey, type Order } from '@tandem/protocol/order.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { coded } from '../pay-checks.ts'
import { btc, fillFor, orderRequest, user, userKey, wbtc } from '../solver.fixture.ts'
import { HOME, refundOf, refused, useRefundFixture } from './refunds.fixture.ts'

const fixture = useRefundFixture()
const { agree, fund, initiate, ask, ways } = fixture

let folder: string
let guard: RollbackGuard
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tandem-restored-'))
})
afterEach(() => guard.stop())
afterAll(() => rm(folder, { recursive: true, force: true }))

async function start(): Promise<void> {
  const log = createLogger({ name: 'test', level: 'silent' })
  guard = await startRollbackGuard({ db: fixture.store.db, path: join(folder, 'releases.log'), log, checkMs: 20 })
  Object.assign(fixture.solver.context, { guard })
}

/** Restores the database to the state that it had before the decision on the order. */
async function restore(): Promise<void> {
  await guard.stop()
  const { db } = fixture.store
  for (const table of ['commitments', 'grants', 'attempts', 'rollbacks'] as const) await db.deleteFrom(table).execute()
  await db.updateTable('orders').set({ declined: null }).execute()
  fixture.solver.payChecks.splice(0)
  await start()
}

async function refund(order: Order, to = HOME): Promise<void> {
  await fund(order)
  await fillFor(fixture.solver, order)
  fixture.solver.payChecks.push(coded('price', async () => 'the price has moved'))
  expect(await fillFor(fixture.solver, order)).toMatchObject({ answer: 'declined' })
  expect((await ask(order, [refundOf(order, { to })])).answer).toMatch(/^signed/)
}

const signedAlready = { kind: 'failed', error: expect.stringContaining('a refund of the source is signed already') }

test('after a refund was signed, it does not pay for that order; once the operator confirms, it pays for others again', async () => {
  await start()
  const [order, other] = [await agree(), await agree()]
  await fund(other)
  await refund(order)

  await restore()
  expect(await initiate(order)).toMatchObject(signedAlready)
  expect(await initiate(other)).toMatchObject({ kind: 'failed', error: expect.stringContaining('older backup') })
  expect([await ways(), fixture.solver.ethereum.broadcast]).toEqual([[], []])

  await confirmRollbacks(fixture.store.db)
  await expect.poll(() => guard.whyUnsafe({ order: other, source: { counted: [] } } as never)).toBeNull()
  expect(await initiate(order)).toMatchObject(signedAlready)
  expect(await initiate(other)).toMatchObject({ kind: 'sent' })
  expect(fixture.solver.ethereum.broadcast).toHaveLength(1)
})

test.each([
  ['Bitcoin', HOME, {}],
  [
    'a contract',
    user,
    { source: { asset: wbtc, amount: '1000000', initiator: user }, destination: { asset: btc, amount: '980000', redeemer: userKey } },
  ],
])('nor for the same deposit to %s under another id, after the order itself is lost', async (_, to, ends) => {
  await start()
  const request = orderRequest(ends)
  await refund(await agree(request), to)

  await restore()
  for (const table of ['fills', 'reservations', 'order_risks', 'actions', 'events', 'swaps', 'orders'] as const)
    await fixture.store.db.deleteFrom(table).execute()
  await confirmRollbacks(fixture.store.db)
  const again = await agree({ ...request, order_id: orderRequest().order_id })
  await fund(again)
  await expect.poll(() => guard.whyUnsafe({ order: again, source: { counted: [] } } as never)).toBeNull()
  expect(await initiate(again)).not.toMatchObject({ kind: 'sent' })
  expect([await ways(), fixture.solver.ethereum.broadcast, fixture.solver.bitcoin.broadcast]).toEqual([[], [], []])
})

test('nor if a forged row says that the payment is signed already, which is else sent again', async () => {
  await start()
  const order = await agree()
  await refund(order)
  await restore()
  expect(await initiate(order)).toMatchObject(signedAlready)
  await sql`insert into attempts (action_key, number, chain, sender, tx, raw, slots, fee_rate, holds_secret)
    values (${actionKey(order.id, 'destination', 'initiate')}, 1, ${order.destination.chain}, 'solver', 'forged', 'forged', '{}', 1, false)`.execute(
    fixture.store.db,
  )
  expect(await initiate(order)).toMatchObject(signedAlready)
  expect([await ways(), fixture.solver.ethereum.broadcast]).toEqual([[], []])
})

test('a deposit whose refund is signed is not paid for either, although its row is gone and another fill is asked for', async () => {
  await start()
  const order = await agree()
  await fund(order)
  await fillFor(fixture.solver, order)
  const stray = { ...sightingsOf(order.source.swapId).initiated(order.source.terms.amount), tx: 'a stray', deposit: 'a stray' }
  fixture.solver.bitcoin.mine(stray)
  await fixture.watch()
  await ask(order, [refundOf(order, { deposit: 'a stray' })])

  await restore()
  await confirmRollbacks(fixture.store.db)
  await expect.poll(() => guard.whyUnsafe({ order, source: { counted: [] } } as never)).toBeNull()
  await fixture.store.db.deleteFrom('fills').execute()
  expect(await fillFor(fixture.solver, order, ['a stray'])).toMatchObject({ answer: 'declined', signature: null })
})

test('with a release log that cannot be written, a payment takes no nonce: nothing is signed until it can be', async () => {
  await start()
  const order = await agree()
  await fund(order)
  await fillFor(fixture.solver, order)
  const log = join(folder, 'releases.log')
  await rename(log, `${log}.aside`)
  await mkdir(log)
  expect(await initiate(order)).toMatchObject({ kind: 'failed', error: expect.stringContaining('cannot write the release log') })
  expect(await fixture.store.db.selectFrom('attempts').select('tx').execute()).toEqual([])
  await rmdir(log)
  await rename(`${log}.aside`, log)
  expect(await initiate(order)).toMatchObject({ kind: 'sent' })
})

test('terms of a payment that were edited after it was signed are found, like a payment that is lost', async () => {
  await start()
  const order = await agree()
  await fund(order)
  await fillFor(fixture.solver, order)
  expect(await initiate(order)).toMatchObject({ kind: 'sent' })
  const state = { order, source: { counted: [] } } as unknown as Parameters<RollbackGuard['whyUnsafe']>[0]
  expect(await guard.whyUnsafe(state)).toBeNull()
  const terms = { ...order.destination.terms, amount: 1n }
  const swapId = fixture.solver.ethereum.swapId(terms)
  await fixture.store.db.updateTable('swaps').set({ swap_id: swapId, amount: 1n }).where('leg', '=', 'destination').execute()
  expect(await guard.whyUnsafe(state)).toMatch(/older backup/)
  await expect(ask(order)).rejects.toThrow()
  expect(await ways()).toEqual([{ way: 'locked' }])
})

test('after a payment was signed, neither a refund nor another payment is', async () => {
  await start()
  const order = await agree()
  await fund(order)
  await fillFor(fixture.solver, order)
  expect(await initiate(order)).toMatchObject({ kind: 'sent' })
  // The payment is not mined yet.
  expect(fixture.solver.ethereum.broadcast).toHaveLength(1)

  await restore()
  expect(await initiate(order)).toMatchObject({ kind: 'failed', error: expect.stringContaining('older backup') })
  await expect(ask(order, [refundOf(order)])).rejects.toThrow(refused('conflict', /older backup/))
  fixture.solver.payChecks.push(coded('price', async () => 'the price has moved'))
  expect(await fillFor(fixture.solver, order)).not.toMatchObject({ answer: 'declined' })
  expect([await ways(), fixture.solver.ethereum.broadcast.length]).toEqual([[], 1])

  // Rows say that the operator confirmed, and that the rollback concerned no order: the payment may still be mined.
  fixture.solver.payChecks.splice(0)
  await sql`update rollbacks set confirmed_at = now(), newest_order = 0, detected_at = 'epoch', reason = 'none'`.execute(fixture.store.db)
  await expect.poll(async () => String(await ask(order, [refundOf(order)]).catch((error: unknown) => error))).toMatch(/or has paid/)
  expect(await ways()).toEqual([])
})
