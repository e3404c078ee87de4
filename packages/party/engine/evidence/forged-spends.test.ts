/** Forges, edits or deletes rows of spends and secrets: a party still collects what it is owed, because the chain shows the truth. */

import type { HtlcVerb } from '@tandem/protocol/htlc.ts'
import type { Leg, Role } from '@tandem/protocol/order.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import { deriveOrder } from '@tandem/protocol/state.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { findOrder } from '../../store/orders/orders.ts'
import { sharedStore } from '../../store/shared-store.fixture.ts'
import { freshEngine, registry } from '../engine.fixture.ts'
import { executeAction } from '../executor.ts'
import { loadFacts } from '../facts.ts'
import type { DifferenceReport } from './differences.ts'
import { createSpendCheck } from './spend-check.ts'

const store = sharedStore()
const fixture = freshEngine(store)
let reports: DifferenceReport[] = []
beforeEach(async () => {
  reports = []
})

const run = (statement: ReturnType<typeof sql>) => statement.execute(store.db)
const act = async (role: Role, leg: Leg, verb: HtlcVerb) => {
  const result = await executeAction(fixture.context(role), await fixture.lease(leg, verb))
  await run(sql`update actions set lease_until = now() - interval '1 second', due_at = now()`)
  if (result.kind === 'sent' && verb === 'redeem')
    expect(fixture.chainOf(leg).orders.at(-1)?.spend).toMatchObject({ secret: fixture.secret })
  return result
}
const collect = () => act('solver', 'source', 'redeem')
const payUser = () => act('service', 'destination', 'redeem')

/** Does what an engine does with the states that it derives. Its polls have seen nothing, because it has just started. */
async function check(role: Role, how: { readonly stopping?: AbortSignal } = {}): Promise<void> {
  const stored = await findOrder(store.db, fixture.order.id)
  const states = (await loadFacts(store.db, registry, stored === null ? [] : [stored], fixture.context(role).now())).map(deriveOrder)
  const log = { warn: (about: unknown) => expect(about).toBe('nothing to warn of') }
  const spends = createSpendCheck({ ...fixture.context(role), ...how, log, onDifferences: (report) => void reports.push(report) })
  spends.check(states)
  await spends.idle()
}

const seeWrongSecret = () => run(sql`update orders set seen_secret = ${createSecret()}, seen_secret_at = now()`)
const editSecrets = async () => {
  await seeWrongSecret()
  await run(sql`update events set secret = ${createSecret()} where kind = 'redeemed'`)
}
const forgetRedeem = async () => {
  await run(sql`delete from events where kind = 'redeemed'`)
  await run(sql`update orders set seen_secret = null, seen_secret_at = null`)
}
const forgeSpend = (leg: Leg, kind: 'redeemed' | 'refunded') =>
  run(sql`insert into events (chain, tx, index, swap_id, kind, deposit, block_height, block_hash, block_time)
    select chain, 'forged', index, swap_id, ${kind}, deposit, block_height, block_hash, block_time
    from events where swap_id = ${fixture.order[leg].swapId} and kind = 'initiated'`)
async function redeemOnChain(leg: Leg): Promise<void> {
  await fixture.fund('source', 'destination')
  fixture.chainOf(leg).mine(fixture.events(leg).redeem)
  await fixture.watch()
}

describe('the service pays the user', () => {
  test('although a row has another secret as seen: it has the true one itself', async () => {
    await fixture.fund('source', 'destination')
    await seeWrongSecret()
    expect(await payUser()).toMatchObject({ kind: 'sent' })
  })

  test('after the solver redeemed the source, with other secrets in all rows', async () => {
    await redeemOnChain('source')
    await editSecrets()
    await check('service')
    expect(reports).toMatchObject([{ order: fixture.order.id, differences: [{ leg: 'source' }] }])
    expect(await payUser()).toMatchObject({ kind: 'sent' })
  })

  test('after the solver redeemed the source, with that row deleted', async () => {
    await redeemOnChain('source')
    await forgetRedeem()
    expect(await payUser()).toMatchObject({ kind: 'failed', error: expect.stringContaining('differ') })
    expect(await payUser()).toMatchObject({ kind: 'sent' })
  })

  test('although a row says that the user is paid', async () => {
    await fixture.fund('source', 'destination')
    await forgeSpend('destination', 'redeemed')
    expect(await payUser()).toMatchObject({ kind: 'skipped' })
    await check('service')
    expect(await payUser()).toMatchObject({ kind: 'sent' })
  })

  test('an engine that ends reads nothing more, and leaves it to the next one', async () => {
    await fixture.fund('source', 'destination')
    await forgeSpend('destination', 'redeemed')
    await check('service', { stopping: AbortSignal.abort() })
    expect(reports).toEqual([])
    expect(await payUser()).toMatchObject({ kind: 'skipped' })
  })
})

describe('the solver collects the source', () => {
  test('after the user redeemed the payment, with another secret as seen', async () => {
    await redeemOnChain('destination')
    await seeWrongSecret()
    expect(await collect()).toMatchObject({ kind: 'sent' })
  })

  test('the same, with other secrets in all rows', async () => {
    await redeemOnChain('destination')
    await editSecrets()
    expect(await collect()).toMatchObject({ kind: 'skipped' })
    await check('solver')
    expect(await collect()).toMatchObject({ kind: 'sent' })
  })

  test('the same, with these rows deleted: it finds the redeem when it wants its payment back', async () => {
    await redeemOnChain('destination')
    await forgetRedeem()
    fixture.ethereum.grow(10_000)
    await fixture.watch()
    expect(await collect()).toMatchObject({ kind: 'skipped' })
    await act('solver', 'destination', 'refund')
    expect(await collect()).toMatchObject({ kind: 'sent' })
  })

  test('the same, with a row that says that the solver took its payment back before', async () => {
    await redeemOnChain('destination')
    await forgeSpend('destination', 'refunded')
    expect(await collect()).toMatchObject({ kind: 'skipped' })
    await check('solver')
    expect(await collect()).toMatchObject({ kind: 'sent' })
  })

  test('the same, with a row that says that it has collected, in an order that is closed', async () => {
    await redeemOnChain('destination')
    await forgeSpend('source', 'redeemed')
    await run(sql`update orders set closed_at = now()`)
    await check('solver')
    expect(await run(sql`select id from orders where closed_at is null`)).toMatchObject({ rows: [{}] })
    expect(await collect()).toMatchObject({ kind: 'sent' })
  })
})

test('true rows are left as they are, and are read once', async () => {
  await redeemOnChain('destination')
  await check('solver')
  expect(reports).toEqual([])
  expect(await collect()).toMatchObject({ kind: 'sent' })
})

test('what is on record stays while the nodes are behind it', async () => {
  await redeemOnChain('destination')
  await editSecrets()
  const { ethereum } = fixture
  const tip = await ethereum.tip()
  ethereum.tip = async () => ({ ...tip, height: tip.height - 5n })
  await check('solver')
  expect(reports).toEqual([])
})
