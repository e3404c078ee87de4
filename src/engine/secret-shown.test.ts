// What counts as shown, and what then follows for both parties.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ChainFailure } from '../chains/port/failure.ts'
import { finishAction, leaseAction, syncWanted } from '../store/actions/actions.ts'
import { findOrder } from '../store/orders/orders.ts'
import { openTestStore, type TestStore } from '../store/store.fixture.ts'
import { openScene, type Scene } from './engine.fixture.ts'
import { executeAction } from './executor.ts'

let store: TestStore
let scene: Scene
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())
beforeEach(async () => {
  scene = await openScene(store)
})

const fail = (kind: 'unreachable' | 'would-fail') => () => {
  throw new ChainFailure(kind, `it is ${kind}`)
}

describe('a secret that was signed for', () => {
  const execute = async () => executeAction(scene.context('service'), await scene.lease('destination', 'redeem'))
  const stored = async () => {
    const order = await findOrder(store.db, scene.order.id)
    return { signed: order?.secretSigned, shown: order?.secretShown }
  }

  test('is shown when the node took it', async () => {
    await scene.fund('source', 'destination')
    await execute()
    expect(await stored()).toEqual({ signed: true, shown: true })
  })

  test('is as good as shown when the node did not say', async () => {
    await scene.fund('source', 'destination')
    scene.ethereum.before.broadcast = fail('unreachable')
    await execute()
    expect(await stored()).toEqual({ signed: true, shown: true })
  })

  test('is not shown when the node refused it: after its time it stays in, and the user is refunded', async () => {
    scene = await openScene(store, { source: { userAddress: 'where the user wants it back' } })
    await scene.fund('source', 'destination')
    scene.ethereum.before.broadcast = fail('would-fail')
    const action = await scene.lease('destination', 'redeem')
    await executeAction(scene.context('service'), action)
    expect(await stored()).toEqual({ signed: true, shown: false })

    delete scene.ethereum.before.broadcast
    scene.ethereum.grow(100)
    scene.bitcoin.grow(200)
    await scene.watch()
    expect(await executeAction(scene.context('service'), action)).toMatchObject({ kind: 'skipped' })
    expect(scene.ethereum.broadcast).toEqual([])
    const refund = await executeAction(scene.context('service'), await scene.lease('source', 'refund'))
    expect(refund).toMatchObject({ kind: 'sent' })
  })
})

test('an initiation that a reorg unmined is not cancelled while a redeem of it is on its way', async () => {
  await scene.fund('source')
  const leased = await scene.lease('destination', 'initiate')
  await executeAction(scene.context('solver'), leased)
  await finishAction(store.db, leased, { kind: 'sent', tx: 'initiate 1', againInMs: 0 })
  const { deposit, redeem } = scene.events('destination')
  scene.ethereum.mempool = [deposit, redeem]
  await scene.watch()
  await syncWanted(store.db, [scene.order.id], [])
  const dropped = await leaseAction(store.db, 'engine', 60)
  if (dropped === null) throw new Error('nothing is leased')
  expect(dropped.cancelling).toBe(true)

  expect(await executeAction(scene.context('solver'), dropped)).toMatchObject({ kind: 'sent' })
  expect(scene.ethereum.asked).not.toContain('cancel')
  scene.bitcoin.grow(190)
  await scene.watch()
  expect(await executeAction(scene.context('solver'), dropped)).toMatchObject({ kind: 'skipped' })
  expect(scene.ethereum.asked).not.toContain('cancel')
})
