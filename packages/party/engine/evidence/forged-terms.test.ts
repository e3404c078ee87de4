/** Edits rows of an order's terms and addresses in the database of the service: the user's money goes nowhere else. */

import type { HtlcVerb } from '@tandem/protocol/htlc.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { sharedStore } from '../../store/shared-store.fixture.ts'
import { sightingsOf } from '../../store/store.fixture.ts'
import { type EngineFixture, openEngineFixture } from '../engine.fixture.ts'
import { executeAction } from '../executor.ts'

const store = sharedStore()
let fixture: EngineFixture

const run = (statement: ReturnType<typeof sql>) => statement.execute(store.db)
const act = async (leg: Leg, verb: HtlcVerb) => executeAction(fixture.context('service'), await fixture.lease(leg, verb))
const changedRow = /is not as this service wrote it/

describe('a refund on a chain where the service signs for the user', () => {
  beforeEach(async () => {
    fixture = await openEngineFixture(store, { source: { userAddress: 'home' } })
    await fixture.fund('source')
    fixture.bitcoin.grow(201)
    await fixture.watch()
  })

  test('pays the address that the user gave', async () => {
    expect(await act('source', 'refund')).toMatchObject({ kind: 'sent' })
    expect(fixture.bitcoin.orders.at(-1)?.spend).toMatchObject({ to: 'home' })
  })

  test('is not signed to another address that somebody wrote into the row', async () => {
    await run(sql`update swaps set user_address = 'thief' where leg = 'source'`)
    await expect(act('source', 'refund')).rejects.toThrow(changedRow)
    expect(fixture.bitcoin.broadcast).toEqual([])
  })
})

describe('a payout on a chain where the service signs for the user', () => {
  beforeEach(async () => {
    fixture = await openEngineFixture(store, {
      source: { chain: 'ethereum_localnet' },
      destination: { chain: 'bitcoin_regtest', userAddress: 'home' },
    })
    await fixture.fund('source', 'destination')
  })

  test('pays the address that the user gave', async () => {
    expect(await act('destination', 'redeem')).toMatchObject({ kind: 'sent' })
    expect(fixture.bitcoin.orders.at(-1)?.spend).toMatchObject({ to: 'home' })
  })

  test('is not signed to another address that somebody wrote into the row', async () => {
    await run(sql`update swaps set user_address = 'thief' where leg = 'destination'`)
    await expect(act('destination', 'redeem')).rejects.toThrow(changedRow)
    expect(fixture.bitcoin.broadcast).toEqual([])
  })
})

describe('the secret is not shown for a payment', () => {
  beforeEach(async () => {
    fixture = await openEngineFixture(store)
  })

  async function payOther(change: { readonly redeemer?: string; readonly amount?: bigint }): Promise<void> {
    const { terms } = fixture.order.destination
    const edited = { ...terms, ...change }
    const swapId = fixture.ethereum.swapId(edited)
    await run(sql`update swaps set redeemer = ${edited.redeemer}, amount = ${edited.amount}, swap_id = ${swapId} where leg = 'destination'`)
    fixture.ethereum.mine(sightingsOf(swapId).initiated(edited.amount))
    await fixture.watch()
  }

  test('to somebody else than the user', async () => {
    await fixture.fund('source')
    await payOther({ redeemer: 'thief' })
    await expect(act('destination', 'redeem')).rejects.toThrow(changedRow)
    expect(fixture.ethereum.broadcast).toEqual([])
  })

  test('of dust, for dust that somebody sent to the deposit of the user, with a forged agreement to it', async () => {
    await fixture.fund('source')
    const dust = { ...fixture.events('source').deposit, tx: 'dust', deposit: 'dust', amount: 1000n }
    fixture.bitcoin.mine(dust)
    await payOther({ amount: 1000n })
    await run(sql`update fills set deposits = '{dust}', destination_amount = 1000`)
    expect((await act('destination', 'redeem')).kind).not.toBe('sent')
    expect(fixture.ethereum.broadcast).toEqual([])
  })

  test('of less than was agreed, from a chain where deposits are exact', async () => {
    fixture = await openEngineFixture(store, { source: { chain: 'ethereum_localnet' } })
    await fixture.fund('source')
    await payOther({ amount: 1000n })
    expect((await act('destination', 'redeem')).kind).not.toBe('sent')
    expect(fixture.ethereum.broadcast).toEqual([])
  })
})
