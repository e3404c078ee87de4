/** Forges, deletes or edits rows: nothing is signed for what the chains do not show. */

import type { Leg } from '@tandem/protocol/order.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { sharedStore } from '../../store/shared-store.fixture.ts'
import { NOW } from '../../store/store.fixture.ts'
import { freshEngine } from '../engine.fixture.ts'
import { executeAction } from '../executor.ts'
import type { DifferenceReport } from './differences.ts'
import * as forge from './forged-rows.fixture.ts'

const store = sharedStore()
const fixture = freshEngine(store)
let reports: DifferenceReport[] = []
beforeEach(async () => {
  reports = []
})

const onDifferences = (report: DifferenceReport) => void reports.push(report)
const run = async (role: 'solver' | 'service', verb: 'initiate' | 'redeem') =>
  executeAction({ ...fixture.context(role), onDifferences }, await fixture.lease('destination', verb))
const pay = () => run('solver', 'initiate')
const reveal = () => run('service', 'redeem')
const ethereumSigned = () => fixture.ethereum.broadcast

const forgeDeposit = (leg: Leg, depth = 0) => forge.forgeDeposit(store.db, fixture, leg, depth)
const signFill = () => forge.forgeFill(store.db, fixture)

const editEvents = (leg: Leg, change: ReturnType<typeof sql>) =>
  sql`update events set ${change} where swap_id = ${fixture.order[leg].swapId}`.execute(store.db)

const refused = { kind: 'failed', error: expect.stringContaining('differ') }

describe('the solver does not pay', () => {
  test('for a forged deposit', async () => {
    await fixture.watch()
    await forgeDeposit('source')
    await signFill()
    expect(await pay()).toMatchObject(refused)
    expect(ethereumSigned()).toEqual([])
    expect(reports).toMatchObject([
      {
        order: fixture.order.id,
        action: 'initiate destination',
        differences: [{ leg: 'source', what: expect.stringContaining('the chain does not show') }],
      },
    ])
  })

  test('for a deposit whose amount was edited', async () => {
    const { deposit } = fixture.events('source')
    if (deposit.kind !== 'initiated') throw new Error('not a deposit')
    fixture.bitcoin.mine({ ...deposit, amount: deposit.amount / 2n })
    await fixture.watch()
    await signFill()
    await editEvents('source', sql`amount = ${deposit.amount}`)
    expect(await pay()).toMatchObject(refused)
    expect(ethereumSigned()).toEqual([])
  })

  test('for a deposit that was moved to an older block, to have more confirmations', async () => {
    await sql`update swaps set required_confirmations = 5 where leg = 'source'`.execute(store.db)
    await fixture.fund('source')
    await sql`update events set (block_height, block_hash, block_time) =
      (select height, hash, time from blocks where chain = events.chain order by height desc offset 6 limit 1)`.execute(store.db)
    expect(await pay()).toMatchObject(refused)
    expect(ethereumSigned()).toEqual([])
  })

  test('for a deposit whose timelock is nearly over, with a later expiry in its row', async () => {
    await fixture.fund('source')
    fixture.bitcoin.grow(190)
    await fixture.watch()
    await editEvents('source', sql`expires_at = 1000000`)
    expect(await pay()).toMatchObject(refused)
    expect(ethereumSigned()).toEqual([])
  })

  test('for a deposit after the deadline, with an earlier time in its row', async () => {
    await sql`update orders set deadline = ${NOW - 100n}`.execute(store.db)
    await fixture.fund('source')
    await editEvents('source', sql`block_time = ${NOW - 1000n}`)
    expect(await pay()).toMatchObject(refused)
    expect(ethereumSigned()).toEqual([])
  })

  test('for a deposit that was refunded, with that row deleted', async () => {
    await fixture.fund('source')
    fixture.bitcoin.mine(fixture.events('source').refund)
    await fixture.watch()
    await sql`delete from events where kind = 'refunded'`.execute(store.db)
    expect(await pay()).toMatchObject(refused)
    expect(ethereumSigned()).toEqual([])
  })

  test.each(['source', 'destination'] as const)('by terms of the %s that were edited in their row', async (leg) => {
    await fixture.fund('source')
    await sql`update swaps set redeemer = 'somebody else' where leg = ${leg}`.execute(store.db)
    // A chain may also refuse to compute an id for such terms.
    const result = await pay().catch((error: unknown) => ({ kind: 'failed', error: String(error) }))
    expect(result).toMatchObject({ kind: 'failed', error: expect.stringMatching(/its row was changed|not a public key/) })
    expect(ethereumSigned()).toEqual([])
  })

  test('after it redeemed the source, as rows say, when neither is on the chain', async () => {
    await fixture.watch()
    await forgeDeposit('source', 2)
    await signFill()
    const { redeem } = fixture.events('source')
    await sql`
      insert into events (chain, tx, index, swap_id, kind, deposit, block_height, block_hash, block_time)
      select chain, ${redeem.tx}, ${redeem.index}, swap_id, 'redeemed', deposit, block_height, block_hash, block_time from events`.execute(
      store.db,
    )
    await sql`insert into commitments (order_id, way) values (${fixture.order.id}, 'locked')`.execute(store.db)
    expect(await pay()).toMatchObject(refused)
    expect(ethereumSigned()).toEqual([])
  })
})

describe('the solver pays by what the chain shows', () => {
  test('although there is a forged deposit too', async () => {
    await fixture.fund('source')
    await sql`insert into events (chain, tx, index, swap_id, kind, deposit, amount, block_height, block_hash, block_time)
      select chain, 'forged', index, swap_id, kind, 'forged', amount, block_height, block_hash, block_time from events`.execute(store.db)
    expect(await pay()).toMatchObject({ kind: 'sent' })
    expect(ethereumSigned()).toEqual(['initiate 1'])
  })

  test('and asks for the HTLC once', async () => {
    await fixture.fund('source')
    const before = [fixture.bitcoin.asked.length, fixture.ethereum.asked.length] as const
    expect(await pay()).toMatchObject({ kind: 'sent' })
    const asked = [...fixture.bitcoin.asked.slice(before[0]), ...fixture.ethereum.asked.slice(before[1])]
    expect(asked.filter((question) => question === 'readHtlc')).toHaveLength(1)
    expect(reports).toEqual([])
  })
})

describe('the service does not show the secret', () => {
  test('for a forged payment of the solver', async () => {
    await fixture.fund('source')
    await forgeDeposit('destination')
    expect(await reveal()).toMatchObject(refused)
    expect(ethereumSigned()).toEqual([])
  })

  test('for a forged deposit of the user', async () => {
    await fixture.fund('destination')
    await forgeDeposit('source')
    await signFill()
    expect(await reveal()).toMatchObject(refused)
    expect(ethereumSigned()).toEqual([])
  })

  test('for a payment that was moved to an older block', async () => {
    await sql`update swaps set required_confirmations = 5 where leg = 'destination'`.execute(store.db)
    await fixture.fund('source', 'destination')
    await sql`update events set (block_height, block_hash) =
      (select height, hash from blocks where chain = events.chain order by height desc offset 6 limit 1)
      where swap_id = ${fixture.order.destination.swapId}`.execute(store.db)
    expect(await reveal()).toMatchObject(refused)
    expect(ethereumSigned()).toEqual([])
  })

  test('for a payment with fewer confirmations than the registry asks for, whatever its row asks for', async () => {
    const { registry, ...context } = fixture.context('service')
    const chain = (id: string) => ({ ...registry.chain(id), requiredConfirmations: 3 })
    const revealBy = async () =>
      executeAction({ ...context, registry: { ...registry, chain } }, await fixture.lease('destination', 'redeem'))
    await fixture.fund('source', 'destination')
    fixture.bitcoin.grow(3)
    await fixture.watch()
    expect(await revealBy()).toMatchObject({ kind: 'skipped' })
    expect(ethereumSigned()).toEqual([])
    fixture.ethereum.grow(3)
    await fixture.watch()
    await sql`update actions set lease_until = now() - interval '1 second', due_at = now()`.execute(store.db)
    expect(await revealBy()).toMatchObject({ kind: 'sent' })
  })

  test('for a payment that the solver took back, with that row deleted', async () => {
    await fixture.fund('source', 'destination')
    fixture.ethereum.mine(fixture.events('destination').refund)
    await fixture.watch()
    await sql`delete from events where kind = 'refunded'`.execute(store.db)
    expect(await reveal()).toMatchObject(refused)
    expect(ethereumSigned()).toEqual([])
  })

  test('for a deposit that the user took back, with that row deleted', async () => {
    await fixture.fund('source', 'destination')
    fixture.bitcoin.mine(fixture.events('source').refund)
    await fixture.watch()
    await sql`delete from events where kind = 'refunded'`.execute(store.db)
    expect(await reveal()).toMatchObject(refused)
    expect(ethereumSigned()).toEqual([])
  })

  test('because a row says that it was shown before: only a transaction that contains it proves that', async () => {
    await sql`update swaps set required_confirmations = 5 where leg = 'destination'`.execute(store.db)
    await fixture.fund('source', 'destination')
    const action = await fixture.lease('destination', 'redeem')
    await sql`update orders set secret_signed_at = now()`.execute(store.db)
    await sql`insert into attempts (action_key, number, chain, sender, tx, raw, slots, fee_rate, holds_secret)
      values (${action.key}, 1, ${fixture.order.destination.chain}, 'relay', 'forged', 'no secret is in here', '{}', 1, true)`.execute(
      store.db,
    )
    expect(await executeAction(fixture.context('service'), action)).toMatchObject({ kind: 'skipped' })
    expect(ethereumSigned()).toEqual([])
    await sql`update actions set lease_until = now() - interval '1 second', due_at = now()`.execute(store.db)
    await sql`update attempts set raw = ${`it contains ${fixture.secret}`}`.execute(store.db)
    expect(await reveal()).toMatchObject({ kind: 'sent' })
  })
})
