// Tests that the price is read again right before the solver pays, for exact and for partial deposits.

import { executeAction } from '@tandem/party/engine/executor.ts'
import { syncWanted } from '@tandem/party/store/actions/actions.ts'
import type { Order } from '@tandem/protocol/order.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { refundOf, useRefundFixture } from '../instant-refund/refunds.fixture.ts'
import { btc, fillFor, orderRequest, user, userKey, wbtc } from '../solver.fixture.ts'
import { createPriceCheck } from './price-check.ts'

const fixture = useRefundFixture()
const { fund, initiate, ask, ways } = fixture
const refund = (order: Order) => ask(order, [refundOf(order)])

beforeEach(() => {
  fixture.solver.payChecks.push(createPriceCheck(fixture.solver.context))
})

/** A bitcoin costs 60,000 dollars, wrapped or not. The limit is 2 %, the spread 1 %; the user's slippage is 5 %. */
const fromEvm = () =>
  fixture.agree(
    orderRequest({
      slippage_bips: 500,
      source: { asset: wbtc, amount: '1000000', initiator: user },
      destination: { asset: btc, amount: '980000', redeemer: userKey },
    }),
  )
const fromBitcoin = () => fixture.agree(orderRequest({ slippage_bips: 500 }))
const moveSource = (dollars: bigint) => {
  fixture.solver.world.bitcoinDollars = dollars
}

describe('an exact deposit', () => {
  test('is paid for within the limit of the solver', async () => {
    const order = await fromEvm()
    await fund(order)
    moveSource(58_801n)
    expect(await initiate(order)).toMatchObject({ kind: 'sent' })
  })

  test('is not paid for beyond it, whatever slippage the user chose, and is refunded at once', async () => {
    const order = await fromEvm()
    await fund(order)
    moveSource(58_799n)
    const why = 'the price has moved: 979982 now, 980000 agreed'
    expect(await initiate(order)).toMatchObject({ kind: 'failed', error: `the solver does not pay: ${why}` })
    expect(await fillFor(fixture.solver, order)).toMatchObject({ answer: 'declined', reason: why })
    expect((await ask(order, [refundOf(order, { to: user, pays: '1000000' })])).answer).toMatch(/^signed/)
    moveSource(60_000n)
    expect(await initiate(order)).toMatchObject({ kind: 'skipped' })
    expect(await ways()).toEqual([{ way: 'refund_signed' }])
  })

  test('waits without a price while the agreed one holds', async () => {
    const order = await fromEvm()
    await fund(order)
    moveSource(0n)
    expect(await initiate(order)).toMatchObject({ kind: 'failed', error: 'there is no price at the moment' })
    expect(await ways()).toEqual([])
    moveSource(60_000n)
    expect(await initiate(order)).toMatchObject({ kind: 'sent' })
  })
})

test.each([
  // The user pays with wrapped bitcoin that fell by one percent: the solver pays 9,800 too much, at 60,000 dollars.
  { dollars: 59_400n, gained: 5_880_000n },
  { dollars: 60_600n, gained: -5_880_000n },
])('what the price moved in favour of the user is noted when the solver pays: $gained at $dollars', async ({ dollars, gained }) => {
  const order = await fromEvm()
  const state = { order, source: { counted: [] } } as unknown as OrderState
  const noted: unknown[] = []
  const { context } = fixture.solver
  const check = createPriceCheck({ ...context, noteGain: (...gain) => void noted.push(gain) })
  moveSource(dollars)
  expect(await check(state)).toBeNull()
  expect(noted).toEqual([[order.id, gained]])
  moveSource(58_000n)
  expect(await check(state)).toContain('the price has moved')
  expect(noted).toHaveLength(1)
})

test('partial deposits with a signed fill are declined too, if the price moves before the solver pays', async () => {
  const order = await fromBitcoin()
  await fund(order)
  expect(await fillFor(fixture.solver, order)).toMatchObject({ answer: 'signed' })
  moveSource(61_300n)
  const paying = await executeAction(fixture.executor(fixture.store.db), await fixture.leaseInitiation(order))
  expect(paying).toMatchObject({ kind: 'failed', error: expect.stringContaining('the price has moved') })
  await syncWanted(fixture.store.db, [order.id], [])
  expect(await fillFor(fixture.solver, order)).toMatchObject({ answer: 'declined', reason: expect.stringContaining('the price has moved') })
  expect((await refund(order)).answer).toMatch(/^signed/)
  expect(await ways()).toEqual([{ way: 'refund_signed' }])
})
