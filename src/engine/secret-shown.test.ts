// What counts as shown, and what then follows for both parties.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ChainFailure } from '../chains/port/failure.ts'
import { finishAction, leaseAction, syncWanted } from '../store/actions/actions.ts'
import { findOrder } from '../store/orders/orders.ts'
import { openTestStore, type TestStore } from '../store/store.fixture.ts'
import { type EngineFixture, openEngineFixture } from './engine.fixture.ts'
import { executeAction } from './executor.ts'

let store: TestStore
let fixture: EngineFixture
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())
beforeEach(async () => {
  fixture = await openEngineFixture(store)
})

const fail = (kind: 'unreachable' | 'would-fail') => () => {
  throw new ChainFailure(kind, `it is ${kind}`)
}

describe('a secret that was signed for', () => {
  const execute = async () => executeAction(fixture.context('service'), await fixture.lease('destination', 'redeem'))
  const stored = async () => {
    const order = await findOrder(store.db, fixture.order.id)
    return { signed: order?.secretSigned, shown: order?.secretShown }
  }

  test('is shown when the node took it', async () => {
    await fixture.fund('source', 'destination')
    await execute()
    expect(await stored()).toEqual({ signed: true, shown: true })
  })

  test('is as good as shown when the node did not say', async () => {
    await fixture.fund('source', 'destination')
    fixture.ethereum.before.broadcast = fail('unreachable')
    await execute()
    expect(await stored()).toEqual({ signed: true, shown: true })
  })

  test('is not shown when the node refused it: after its time it stays in, and the user is refunded', async () => {
    fixture = await openEngineFixture(store, { source: { userAddress: 'where the user wants it back' } })
    await fixture.fund('source', 'destination')
    fixture.ethereum.before.broadcast = fail('would-fail')
    const action = await fixture.lease('destination', 'redeem')
    await executeAction(fixture.context('service'), action)
    expect(await stored()).toEqual({ signed: true, shown: false })

    delete fixture.ethereum.before.broadcast
    fixture.ethereum.grow(100)
    fixture.bitcoin.grow(200)
    await fixture.watch()
    expect(await executeAction(fixture.context('service'), action)).toMatchObject({ kind: 'skipped' })
    expect(fixture.ethereum.broadcast).toEqual([])
    const refund = await executeAction(fixture.context('service'), await fixture.lease('source', 'refund'))
    expect(refund).toMatchObject({ kind: 'sent' })
  })
})

test('an initiation that a reorg unmined is not cancelled while a redeem of it is on its way', async () => {
  await fixture.fund('source')
  const leased = await fixture.lease('destination', 'initiate')
  await executeAction(fixture.context('solver'), leased)
  await finishAction(store.db, leased, { kind: 'sent', tx: 'initiate 1', againInMs: 0 })
  const { deposit, redeem } = fixture.events('destination')
  fixture.ethereum.mempool = [deposit, redeem]
  await fixture.watch()
  await syncWanted(store.db, [fixture.order.id], [])
  const dropped = await leaseAction(store.db, 'engine', 60)
  if (dropped === null) throw new Error('nothing is leased')
  expect(dropped.cancelling).toBe(true)

  expect(await executeAction(fixture.context('solver'), dropped)).toMatchObject({ kind: 'sent' })
  expect(fixture.ethereum.asked).not.toContain('cancel')
  fixture.bitcoin.grow(190)
  await fixture.watch()
  expect(await executeAction(fixture.context('solver'), dropped)).toMatchObject({ kind: 'skipped' })
  expect(fixture.ethereum.asked).not.toContain('cancel')
})
