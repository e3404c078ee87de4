/** Tests deposits to an order that is finished. */
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import { expect, test } from 'vitest'
import { leaseAction } from '../store/actions/actions.ts'
import { findOrder } from '../store/orders/orders.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { NOW, sightingsOf } from '../store/store.fixture.ts'
import { freshEngine, registry } from './engine.fixture.ts'
import { executeAction } from './executor.ts'
import { reconcile } from './reconciler.ts'

const store = sharedStore()
const fixture = freshEngine(store, { source: { userAddress: 'where the user is refunded' } })

const late = (): HtlcEvent => ({ ...fixture.events('source').deposit, tx: 'late', deposit: 'late' })
const lateRefund = (): HtlcEvent => ({ ...sightingsOf(fixture.order.source.swapId).refunded(), tx: 'refund of late', deposit: 'late' })
const isClosed = async () => (await findOrder(store.db, fixture.order.id))?.closed

/** The clock follows the blocks, so that no chain seems halted. */
async function pollAndReconcile() {
  await fixture.watch()
  const { time } = await fixture.bitcoin.tip()
  await reconcile({ db: store.db, registry, party: { role: 'service' } }, time > NOW ? time : NOW)
}

async function finish() {
  await fixture.fund('source', 'destination')
  fixture.ethereum.mine(fixture.events('destination').redeem)
  fixture.bitcoin.mine(fixture.events('source').redeem)
  for (const chain of [fixture.bitcoin, fixture.ethereum]) chain.grow(chain.chain.finalityBlocks)
  await pollAndReconcile()
  expect(await isClosed()).toBe(true)
}

test('a deposit to a finished order is refunded when its timelock ends, and the order is finished again', async () => {
  await finish()
  fixture.bitcoin.mine(late())
  await pollAndReconcile()
  expect(await isClosed()).toBe(false)
  expect(await leaseAction(store.db, 'engine', 60)).toBeNull()
  for (const chain of [fixture.bitcoin, fixture.ethereum]) chain.grow(Number(fixture.order.source.terms.timelock))
  await pollAndReconcile()
  const action = await leaseAction(store.db, 'engine', 60)
  if (action === null) throw new Error('nothing is to be done')
  expect(action).toMatchObject({ orderId: fixture.order.id, leg: 'source', verb: 'refund' })
  expect(await executeAction(fixture.context('service'), action)).toMatchObject({ kind: 'sent', tx: 'refund 1' })
  expect(fixture.bitcoin.orders.at(-1)?.spend).toMatchObject({
    deposits: [{ id: 'late', amount: fixture.order.source.terms.amount }],
    to: 'where the user is refunded',
  })
  fixture.bitcoin.mine(lateRefund())
  for (const chain of [fixture.bitcoin, fixture.ethereum]) chain.grow(chain.chain.finalityBlocks)
  await pollAndReconcile()
  await pollAndReconcile()
  expect(await isClosed()).toBe(true)
})

test('a late deposit that a reorg removes leaves the order finished', async () => {
  await finish()
  fixture.bitcoin.mine(late())
  await pollAndReconcile()
  expect(await isClosed()).toBe(false)
  fixture.bitcoin.drop(1)
  fixture.bitcoin.grow(2)
  await pollAndReconcile()
  expect(await isClosed()).toBe(true)
})
