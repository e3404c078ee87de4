// Tests when the secret counts as shown, and the consequences for both parties.

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { leaseAction, syncWanted } from '../store/actions/actions.ts'
import { finishAction } from '../store/actions/finish-action.ts'
import { findOrder } from '../store/orders/orders.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { type EngineFixture, openEngineFixture } from './engine.fixture.ts'
import { executeAction } from './executor.ts'
import { createMortal } from './mortal.fixture.ts'

const store = sharedStore()
let fixture: EngineFixture
beforeEach(async () => {
  fixture = await openEngineFixture(store)
})

const expireLeases = () => sql`update actions set lease_until = now() - interval '1 second'`.execute(store.db)
const fail = (kind: 'unreachable' | 'would-fail') => () => {
  throw new ChainFailure(kind, `it is ${kind}`)
}

describe('a signed secret', () => {
  const execute = async () => executeAction(fixture.context('service'), await fixture.lease('destination', 'redeem'))
  const stored = async () => {
    const order = await findOrder(store.db, fixture.order.id)
    return { signed: order?.secretSigned, shown: order?.secretShown }
  }

  test('is shown when the node accepted the redeem', async () => {
    await fixture.fund('source', 'destination')
    await execute()
    expect(await stored()).toEqual({ signed: true, shown: true })
  })

  test('counts as shown when the node did not answer', async () => {
    await fixture.fund('source', 'destination')
    fixture.ethereum.before.broadcast = fail('unreachable')
    await execute()
    expect(await stored()).toEqual({ signed: true, shown: true })
  })

  test('is not shown when the node rejected the redeem: after expiry it is never sent, and the user is refunded', async () => {
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

  test.each(['broadcast', 'answer to broadcast'] as const)(
    'counts as shown when the process is killed before the %s, also after the reveal window',
    async (moment) => {
      fixture = await openEngineFixture(store, { source: { userAddress: 'where the user wants it back' } })
      await fixture.fund('source', 'destination')
      const mortal = await createMortal(store)
      fixture.ethereum.before[moment] = mortal.dieHere
      void executeAction({ ...fixture.context('service'), db: mortal.db }, await fixture.lease('destination', 'redeem'))
      await mortal.died
      delete fixture.ethereum.before[moment]
      expect(await stored()).toEqual({ signed: true, shown: true })

      fixture.ethereum.grow(100)
      fixture.bitcoin.grow(200)
      await fixture.watch()
      await expireLeases()
      expect(await execute()).toMatchObject({ kind: 'sent' })
      expect(fixture.ethereum.orders.at(-1)?.outbox.attempts.map(({ tx }) => tx)).toEqual(['redeem 1'])
      await expireLeases()
      const refund = await executeAction(fixture.context('service'), await fixture.lease('source', 'refund'))
      expect(refund).toMatchObject({ kind: 'skipped' })
    },
  )

  test('that was refused counts as shown from before it is broadcast again, and not any more when it is refused again', async () => {
    await fixture.fund('source', 'destination')
    fixture.ethereum.before.broadcast = fail('would-fail')
    await execute()
    expect(await stored()).toEqual({ signed: true, shown: false })
    await expireLeases()
    const seen: unknown[] = []
    fixture.ethereum.before.redeem = async () => void seen.push((await stored()).shown)
    await execute()
    expect(seen).toEqual([true])
    expect(await stored()).toEqual({ signed: true, shown: false })
    await expireLeases()
    fixture.ethereum.before.broadcast = fail('unreachable')
    await execute()
    expect(await stored()).toEqual({ signed: true, shown: true })
  })

  test('stays shown when a process that lost its lease learns of a refusal late', async () => {
    await fixture.fund('source', 'destination')
    const action = await fixture.lease('destination', 'redeem')
    fixture.ethereum.before.broadcast = async () => {
      await expireLeases()
      await leaseAction(store.other, 'another engine', 60)
      fail('would-fail')()
    }
    await executeAction(fixture.context('service'), action)
    expect(await stored()).toEqual({ signed: true, shown: true })
  })
})

test('an initiation that a reorg removed is not cancelled while a redeem of it is unconfirmed', async () => {
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
