import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { HtlcEvent } from '../protocol/htlc.ts'
import { leaseAction } from '../store/actions/actions.ts'
import { findOrder } from '../store/orders/orders.ts'
import { NOW, openTestStore, sightingsOf, type TestStore } from '../store/store.fixture.ts'
import { openScene, registry, type Scene } from './engine.fixture.ts'
import { executeAction } from './executor.ts'
import { reconcile } from './reconciler.ts'

let store: TestStore
let scene: Scene
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())
beforeEach(async () => {
  scene = await openScene(store, { source: { userAddress: 'where the user is refunded' } })
})

const late = (): HtlcEvent => ({ ...scene.events('source').deposit, tx: 'late', deposit: 'late' })
const lateRefund = (): HtlcEvent => ({ ...sightingsOf(scene.order.source.swapId).refunded(), tx: 'refund of late', deposit: 'late' })
const isClosed = async () => (await findOrder(store.db, scene.order.id))?.closed

/** Time goes on with the blocks, so that no chain seems to stand still. */
async function look() {
  await scene.watch()
  const { time } = await scene.bitcoin.tip()
  await reconcile(store.db, registry, 'service', time > NOW ? time : NOW)
}

async function finish() {
  await scene.fund('source', 'destination')
  scene.ethereum.mine(scene.events('destination').redeem)
  scene.bitcoin.mine(scene.events('source').redeem)
  for (const chain of [scene.bitcoin, scene.ethereum]) chain.grow(chain.chain.finalityBlocks)
  await look()
  expect(await isClosed()).toBe(true)
}

test('a deposit to a finished order is refunded when its timelock ends, and the order is finished again', async () => {
  await finish()
  scene.bitcoin.mine(late())
  await look()
  expect(await isClosed()).toBe(false)
  expect(await leaseAction(store.db, 'engine', 60)).toBeNull()
  for (const chain of [scene.bitcoin, scene.ethereum]) chain.grow(Number(scene.order.source.terms.timelock))
  await look()
  const action = await leaseAction(store.db, 'engine', 60)
  if (action === null) throw new Error('nothing is to be done')
  expect(action).toMatchObject({ orderId: scene.order.id, leg: 'source', verb: 'refund' })
  expect(await executeAction(scene.context('service'), action)).toMatchObject({ kind: 'sent', tx: 'refund 1' })
  expect(scene.bitcoin.orders.at(-1)?.spend).toMatchObject({
    deposits: [{ id: 'late', amount: scene.order.source.terms.amount }],
    to: 'where the user is refunded',
  })
  scene.bitcoin.mine(lateRefund())
  for (const chain of [scene.bitcoin, scene.ethereum]) chain.grow(chain.chain.finalityBlocks)
  await look()
  await look()
  expect(await isClosed()).toBe(true)
})

test('a deposit to a finished order that a reorg takes back leaves it finished', async () => {
  await finish()
  scene.bitcoin.mine(late())
  await look()
  expect(await isClosed()).toBe(false)
  scene.bitcoin.drop(1)
  scene.bitcoin.grow(2)
  await look()
  expect(await isClosed()).toBe(true)
})
