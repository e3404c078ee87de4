/** Edits rows that a decision reads: the solver refunds nothing that it paid for, and pays for nothing that it cannot collect. */

import { sightingsOf } from '@tandem/party/store/store.fixture.ts'
import { actionKey, type Order } from '@tandem/protocol/order.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { createOwnTermsCheck } from '../own-terms.ts'
import { createWorthCheck } from '../pricing/worth-check.ts'
import { btc, fillFor, orderRequest, user, userKey, wbtc } from '../solver.fixture.ts'
import { refundOf, refused, useRefundFixture } from './refunds.fixture.ts'

const fixture = useRefundFixture()
const { agree, fund, watch, initiate, ask, nothingSigned } = fixture
const run = (statement: ReturnType<typeof sql>) => statement.execute(fixture.store.db)

/** The solver has paid and the chain shows it, but the database has forgotten all of it. */
async function paidAndForgotten(): Promise<Order> {
  const order = await agree()
  await fund(order)
  expect(await initiate(order)).toMatchObject({ kind: 'sent' })
  fixture.solver.ethereum.mine(sightingsOf(order.destination.swapId).initiated(order.destination.terms.amount))
  await watch()
  for (const table of ['attempts', 'actions', 'commitments'] as const) await fixture.store.db.deleteFrom(table).execute()
  return order
}

describe('no instant refund is signed', () => {
  test('of an order that the solver has paid for, with its payment, commitment and attempts deleted', async () => {
    const order = await paidAndForgotten()
    await run(sql`delete from events where swap_id = ${order.destination.swapId}`)
    await expect(ask(order)).rejects.toThrow(refused('conflict', /cannot confirm/))
    await nothingSigned(order)
  })

  test('of an order whose payment only a row says was refunded', async () => {
    const order = await paidAndForgotten()
    await run(sql`insert into events (chain, tx, index, swap_id, kind, deposit, block_height, block_hash, block_time)
      select chain, 'forged', index, swap_id, 'refunded', deposit, block_height, block_hash, block_time
      from events where swap_id = ${order.destination.swapId}`)
    fixture.solver.ethereum.grow(20)
    await watch()
    await expect(ask(order)).rejects.toThrow(refused('conflict'))
    await nothingSigned(order)
  })

  test('of a payment whose refund is not final yet, with an older block in its row', async () => {
    const order = await paidAndForgotten()
    fixture.solver.ethereum.mine(sightingsOf(order.destination.swapId).refunded())
    await watch()
    const { ethereum } = fixture.solver
    const [old] = await ethereum.headers([(await ethereum.tip()).height - 20n])
    await run(
      sql`update events set block_height = ${old?.height}, block_hash = ${old?.hash}, block_time = ${old?.time} where kind = 'refunded'`,
    )
    await expect(ask(order)).rejects.toThrow(refused('conflict'))
    await nothingSigned(order)
  })

  test('of a deposit that the solver signed for, with other deposits in the row of its fill', async () => {
    const order = await agree()
    await fund(order)
    expect(await fillFor(fixture.solver, order)).toMatchObject({ answer: 'signed' })
    await run(sql`update fills set deposits = '{another}'`)
    await expect(ask(order)).rejects.toThrow(refused('conflict', /did not sign for the deposits/))
    await nothingSigned(order)
  })
})

describe('no fill is signed', () => {
  test('for a forged deposit', async () => {
    const order = await agree()
    await watch()
    await run(sql`insert into events (chain, tx, index, swap_id, kind, deposit, amount, block_height, block_hash, block_time)
      select chain, 'forged', '0', ${order.source.swapId}, 'initiated', ${`deposit of ${order.source.swapId}`}, ${order.source.terms.amount}, height, hash, time
      from blocks where chain = ${order.source.chain} order by height desc limit 1`)
    expect(await fillFor(fixture.solver, order)).toMatchObject({ answer: 'wait', signature: null })
  })
})

describe('with terms that were edited together with their id, and paid by the attacker as they are', () => {
  beforeEach(() => {
    const { context, payChecks } = fixture.solver
    payChecks.push(createOwnTermsCheck(context), createWorthCheck(context))
  })
  const fromEvm = () =>
    agree(
      orderRequest({
        source: { asset: wbtc, amount: '1000000', initiator: user },
        destination: { asset: btc, amount: '980000', redeemer: userKey },
      }),
    )

  /** Edits a row of terms and its id, and makes the deposit of the new terms. */
  async function edit(order: Order, leg: 'source' | 'destination', terms: Partial<Order['source']['terms']>): Promise<Order> {
    const edited = { ...order, [leg]: { ...order[leg], terms: { ...order[leg].terms, ...terms } } }
    const client = leg === 'source' ? fixture.solver.ethereum : fixture.solver.bitcoin
    const swapId = client.swapId(edited[leg].terms)
    const { redeemer, initiator, amount, secretHash } = edited[leg].terms
    await run(sql`update swaps set swap_id = ${swapId}, redeemer = ${redeemer}, initiator = ${initiator}, amount = ${amount},
      secret_hash = ${secretHash}, agreed_amount = ${amount} where leg = ${leg}`)
    const now = { ...edited, [leg]: { ...edited[leg], swapId } }
    await fund(now)
    return now
  }
  const expectNoPayment = async (order: Order, why: RegExp) => {
    expect(await initiate(order)).toMatchObject({ kind: 'failed', error: expect.stringMatching(why) })
    expect(fixture.solver.bitcoin.broadcast).toEqual([])
  }

  test('as agreed, it pays', async () => {
    const order = await fromEvm()
    await fund(order)
    expect(await initiate(order)).toMatchObject({ kind: 'sent' })
  })

  test('a smaller source is not paid for', async () => {
    await expectNoPayment(await edit(await fromEvm(), 'source', { amount: 1000n }), /millionths of a dollar/)
  })

  test('a larger destination is not paid', async () => {
    await expectNoPayment(await edit(await fromEvm(), 'destination', { amount: 1_980_000n }), /millionths of a dollar/)
  })

  test('a source that somebody else can redeem is not paid for', async () => {
    await expectNoPayment(await edit(await fromEvm(), 'source', { redeemer: user }), /does not pay the key of this solver/)
  })

  test('a destination with another secret is not paid', async () => {
    await expectNoPayment(await edit(await fromEvm(), 'destination', { secretHash: '77'.repeat(32) }), /different secrets/)
  })

  describe('a forged row that says that a payment is signed already changes nothing', () => {
    async function forgeAttempt(order: Order): Promise<Order> {
      const key = actionKey(order.id, 'destination', 'initiate')
      await run(sql`insert into actions (key, order_id, leg, verb, wanted) values (${key}, ${order.id}, 'destination', 'initiate', true)`)
      await run(sql`insert into attempts (action_key, number, chain, sender, tx, raw, slots, fee_rate, holds_secret)
        values (${key}, 1, ${order.destination.chain}, 'solver', 'forged', 'forged', '{}', 1, false)`)
      return order
    }

    test('a smaller source is not paid for', async () => {
      await expectNoPayment(await forgeAttempt(await edit(await fromEvm(), 'source', { amount: 1000n })), /millionths of a dollar/)
    })

    test('nor without a price', async () => {
      const order = await forgeAttempt(await edit(await fromEvm(), 'source', { amount: 1000n }))
      const { context, payChecks } = fixture.solver
      const prices = { ...context.pricing.prices, find: () => null }
      payChecks.splice(0, payChecks.length, createWorthCheck({ ...context, pricing: { prices, priceToleranceBips: 200 } }))
      // The price check would not pay either, but does not run once a payment is signed.
      payChecks.push(async () => 'no price')
      await expectNoPayment(order, /there is no price/)
    })

    test('a source that somebody else can redeem is not paid for', async () => {
      await expectNoPayment(await forgeAttempt(await edit(await fromEvm(), 'source', { redeemer: user })), /does not pay the key/)
    })

    test('a price that has moved since leaves a payment that is signed as it is', async () => {
      // The tolerance of a first payment is 2 %.
      const order = await forgeAttempt(await edit(await fromEvm(), 'destination', { amount: 1_045_000n }))
      expect(await initiate(order)).toMatchObject({ kind: 'sent' })
    })
  })

  test('after the solver has redeemed the source it owes no other payment than the one that it made', async () => {
    const order = await fromEvm()
    await fund(order)
    expect(await initiate(order)).toMatchObject({ kind: 'sent' })
    const paid = [...fixture.solver.bitcoin.broadcast]
    fixture.solver.bitcoin.mine(sightingsOf(order.destination.swapId).initiated(order.destination.terms.amount))
    fixture.solver.ethereum.mine(sightingsOf(order.source.swapId).redeemed('00'.repeat(32)))
    fixture.solver.ethereum.grow(20)
    await watch()
    await run(sql`delete from actions where not exists (select from attempts where action_key = key)`)
    const terms = { ...order.destination.terms, amount: 1_980_000n }
    const swapId = fixture.solver.bitcoin.swapId(terms)
    await run(
      sql`update swaps set swap_id = ${swapId}, amount = ${terms.amount}, agreed_amount = ${terms.amount} where leg = 'destination'`,
    )
    await run(sql`update actions set wanted = true, lease_holder = null, lease_until = null, due_at = now()`)
    expect(await initiate({ ...order, destination: { ...order.destination, terms, swapId } })).toMatchObject({
      kind: 'failed',
      error: expect.stringMatching(/millionths of a dollar/),
    })
    expect(fixture.solver.bitcoin.broadcast).toEqual(paid)
  })

  test('fewer confirmations than the registry asks for are not enough', async () => {
    const { context, payChecks } = fixture.solver
    const tiers = { confirmationTiers: [{ from: 0n, confirmations: 3 }] }
    const registry = { ...context.registry, asset: (id: string) => ({ ...context.registry.asset(id), ...tiers }) }
    payChecks.push(createOwnTermsCheck({ ...context, registry }))
    const order = await fromEvm()
    await fund(order)
    await expectNoPayment(order, /needs 3 confirmations, and the order asks for 1/)
  })
})

test('the answer to a stray is still a signature', async () => {
  const order = await agree()
  await fund(order)
  await fillFor(fixture.solver, order)
  const stray = { ...sightingsOf(order.source.swapId).initiated(5_000n), tx: 'a stray', deposit: 'a stray' }
  fixture.solver.bitcoin.mine(stray)
  await watch()
  await ask(order, [refundOf(order, { deposit: 'a stray', amount: '5000' })])
})
