/** Forges rows of other tables than the events: nothing is paid that cannot be collected, no secret shown without both legs. */

import type { Leg } from '@tandem/protocol/order.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { sharedStore } from '../../store/shared-store.fixture.ts'
import { type EngineFixture, openEngineFixture } from '../engine.fixture.ts'
import { executeAction } from '../executor.ts'
import { forgeDeposit, forgeFill } from './forged-rows.fixture.ts'

const store = sharedStore()
let fixture: EngineFixture
beforeEach(async () => {
  await store.db.deleteFrom('polls').execute()
  fixture = await openEngineFixture(store)
})

const run = (statement: ReturnType<typeof sql>) => statement.execute(store.db)

/** This engine watches neither chain itself, and uses what other processes recorded. */
const act = async (role: 'solver' | 'service', verb: 'initiate' | 'redeem') =>
  executeAction({ ...fixture.context(role), polls: new Map() }, await fixture.lease('destination', verb)).catch((error: unknown) => ({
    kind: 'failed',
    error: String(error),
  }))
const pay = () => act('solver', 'initiate')
const reveal = () => act('service', 'redeem')

const chainOf = (leg: Leg) => fixture.order[leg].chain
/** Acts as another process that has just read the chain up to the newest recorded block. */
const publish = (leg: Leg) =>
  run(sql`insert into polls (chain, hash, began_at)
    select chain, hash, now() from blocks where chain = ${chainOf(leg)} order by height desc limit 1`)
const raiseTip = async (leg: Leg) => {
  await run(sql`insert into blocks (chain, height, hash, parent_hash, time)
    select chain, height + 20, 'forged', hash, time from blocks where chain = ${chainOf(leg)} order by height desc limit 1`)
  await publish(leg)
}
/** Grows the chain by this many blocks, of which the rows do not tell. */
const keepTip = async (leg: Leg, blocks: number) => {
  fixture.chainOf(leg).grow(blocks)
  await publish(leg)
}
const needConfirmations = (leg: Leg, count: number) => run(sql`update swaps set required_confirmations = ${count} where leg = ${leg}`)
const grantRefund = () =>
  run(
    sql`insert into grants (order_id, kind, leg, refunds) values (${fixture.order.id}, 'instant-refund', 'source', ${JSON.stringify([
      { deposit: fixture.events('source').deposit.deposit, amount: '100000000', to: 'home', pays: '99999000', signature: 'signed' },
    ])})`,
  )
const commit = (way: 'locked' | 'refund_signed') => run(sql`insert into commitments (order_id, way) values (${fixture.order.id}, ${way})`)
const seeSecret = (secret: string) => run(sql`update orders set seen_secret = ${secret}, seen_secret_at = now()`)
const showSecret = (leg: Leg, secret: string) =>
  run(sql`insert into events (chain, tx, index, swap_id, kind, deposit, secret, block_height, block_hash, block_time)
    select chain, 'forged', '0', ${fixture.order[leg].swapId}, 'redeemed', 'forged', ${secret}, height, hash, time
    from blocks where chain = ${chainOf(leg)} order by height desc limit 1`)

type Case = readonly [what: string, prepare: () => Promise<unknown>]

describe('the solver does not pay', () => {
  const cases: readonly Case[] = [
    [
      'with a tip that was raised: the deposit has too few confirmations',
      async () => {
        await needConfirmations('source', 5)
        await fixture.fund('source')
        await raiseTip('source')
      },
    ],
    [
      'with a tip that was kept back: the timelock of the source is nearly over',
      async () => {
        await fixture.fund('source')
        await keepTip('source', 190)
      },
    ],
    [
      'after it signed a refund, with that grant deleted',
      async () => {
        await fixture.fund('source')
        await commit('refund_signed')
      },
    ],
    [
      'after it signed a refund, with that commitment edited',
      async () => {
        await fixture.fund('source')
        await grantRefund()
        await commit('locked')
      },
    ],
    [
      'for forged rows of a deposit, the agreement to it, the consent of the user and the commitment, with the decline deleted',
      async () => {
        await fixture.watch()
        await forgeDeposit(store.db, fixture, 'source')
        await forgeFill(store.db, fixture)
        await run(
          sql`insert into grants (order_id, kind, leg, consent, signature) values (${fixture.order.id}, 'initiate', 'source', 'signature', 'forged')`,
        )
        await run(sql`update orders set declined = 'the price has moved'`)
        await run(sql`update orders set declined = null`)
        await commit('locked')
      },
    ],
    [
      'for a forged deposit, because a row has the secret as seen',
      async () => {
        await fixture.watch()
        await forgeDeposit(store.db, fixture, 'source')
        await forgeFill(store.db, fixture)
        await seeSecret(fixture.secret)
      },
    ],
  ]
  test.each(cases)('%s', async (_, prepare) => {
    await prepare()
    expect((await pay()).kind).not.toBe('sent')
    expect(fixture.ethereum.broadcast).toEqual([])
  })
})

describe('the service does not show the secret', () => {
  const withoutPayment = async () => {
    await fixture.fund('source')
    await forgeDeposit(store.db, fixture, 'destination')
  }
  const cases: readonly Case[] = [
    [
      'because a row has another one as seen',
      async () => {
        await withoutPayment()
        await seeSecret(createSecret())
      },
    ],
    [
      'because a row of a redeem has another one',
      async () => {
        await withoutPayment()
        await showSecret('source', createSecret())
      },
    ],
    [
      "because there is a forged grant of the client's secret",
      async () => {
        await withoutPayment()
        await run(sql`update orders set client_secret = true`)
        await run(sql`insert into grants (order_id, kind, leg) values (${fixture.order.id}, 'redeem', 'destination')`)
      },
    ],
    [
      'with a tip that was raised: the payment has too few confirmations',
      async () => {
        await needConfirmations('destination', 5)
        await fixture.fund('source', 'destination')
        await raiseTip('destination')
      },
    ],
    [
      'with a tip that was kept back: too little is left of the timelock of the payment',
      async () => {
        await fixture.fund('source', 'destination')
        await keepTip('destination', 10_000)
      },
    ],
    [
      'with a tip that was kept back: the timelock of the source is over',
      async () => {
        await fixture.fund('source', 'destination')
        await keepTip('source', 201)
      },
    ],
  ]
  test.each(cases)('%s', async (_, prepare) => {
    await prepare()
    expect((await reveal()).kind).not.toBe('sent')
    expect(fixture.ethereum.broadcast).toEqual([])
  })
})

test('on true rows, with polls of another process, the solver pays and the service shows the secret', async () => {
  await fixture.fund('source')
  for (const leg of ['source', 'destination'] as const) await publish(leg)
  expect(await pay()).toMatchObject({ kind: 'sent' })
  await fixture.fund('destination')
  expect(await reveal()).toMatchObject({ kind: 'sent' })
})
