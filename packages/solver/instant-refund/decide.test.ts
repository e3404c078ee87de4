// A deposit on an account chain is exact: the solver pays without an agreement, or says that it never will.

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { executeAction } from '@tandem/party/engine/executor.ts'
import { findOrder } from '@tandem/party/store/orders/orders.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Order } from '@tandem/protocol/order.ts'
import { expect, test } from 'vitest'
import { coded } from '../pay-checks.ts'
import { btc, fillFor, orderRequest, user, userKey, wbtc } from '../solver.fixture.ts'
import { refundOf, refused, useRefundFixture } from './refunds.fixture.ts'

const fixture = useRefundFixture()
const { fund, initiate, ask, ways, executor, leaseInitiation } = fixture

const agree = () =>
  fixture.agree(
    orderRequest({
      source: { asset: wbtc, amount: '1000000', initiator: user },
      destination: { asset: btc, amount: '980000', redeemer: userKey },
    }),
  )
const decide = (order: Order) => fillFor(fixture.solver, order)
const refund = (order: Order) => ask(order, [refundOf(order, { to: user, pays: '1000000' })])
const refuse = (why: string | null = 'the price has moved') => fixture.solver.payChecks.push(coded('price', async () => why))
const paid = () => fixture.solver.bitcoin.broadcast

test('waits while the solver is about to pay, and after it has paid', async () => {
  const order = await agree()
  expect(await decide(order)).toMatchObject({ answer: 'wait', reason: expect.stringContaining('confirmations') })
  await fund(order)
  expect(await decide(order)).toMatchObject({ answer: 'wait', signature: null, reason: 'the solver is about to pay' })
  expect(await initiate(order)).toMatchObject({ kind: 'sent' })
  refuse()
  expect(await decide(order)).toMatchObject({ answer: 'wait', reason: 'a payment is signed' })
  expect(await ways()).toEqual([{ way: 'locked' }])
  await expect(refund(order)).rejects.toThrow(refused('conflict'))
})

test('what a check refuses is not paid; once declined, it is never paid, and the refund is signed', async () => {
  const order = await agree()
  await fund(order)
  refuse(null)
  refuse()
  expect(await initiate(order)).toMatchObject({ kind: 'failed', error: 'the solver does not pay: the price has moved' })
  expect(await ways()).toEqual([])
  expect(await decide(order)).toMatchObject({ answer: 'declined', reason: 'the price has moved', code: 'price' })
  expect(await ways()).toEqual([{ way: 'refund_signed' }])
  fixture.solver.payChecks.splice(0)
  expect(await decide(order)).toMatchObject({ answer: 'declined', reason: 'the price has moved' })
  expect(await initiate(order)).toMatchObject({ kind: 'skipped' })
  expect((await refund(order)).answer).toMatch(/^signed/)
  expect(paid()).toEqual([])
})

test('a commitment to pay without a signed payment does not stop a decline', async () => {
  const order = await agree()
  await fund(order)
  fixture.solver.bitcoin.before.initiate = () => {
    throw new ChainFailure('would-fail', 'no coins')
  }
  expect(await initiate(order)).toMatchObject({ kind: 'failed' })
  expect(await ways()).toEqual([{ way: 'locked' }])
  refuse()
  expect(await decide(order)).toMatchObject({ answer: 'declined' })
  expect(await ways()).toEqual([{ way: 'refund_signed' }])
})

test('a signed payment is sent again whatever the checks say', async () => {
  const order = await agree()
  await fund(order)
  await initiate(order)
  refuse()
  fixture.solver.payChecks.push(() => Promise.reject(new TandemError('chain_unavailable', 'no prices')))
  expect(await initiate(order)).toMatchObject({ kind: 'sent' })
})

test('an undecided check declines nothing and pays nothing', async () => {
  const order = await agree()
  await fund(order)
  fixture.solver.payChecks.push(() => Promise.reject(new TandemError('chain_unavailable', 'no prices')))
  await expect(decide(order)).rejects.toThrow('no prices')
  await expect(initiate(order)).rejects.toThrow('no prices')
  expect([await ways(), paid(), (await findOrder(fixture.store.db, order.id))?.declined]).toEqual([[], [], null])
})

test('a check that a node or a halt keeps from deciding makes the service wait', async () => {
  const order = await agree()
  await fund(order)
  fixture.solver.payChecks.push(() => Promise.reject(new ChainFailure('would-fail', 'there is no price at the moment')))
  expect(await decide(order)).toMatchObject({ answer: 'wait', reason: 'there is no price at the moment' })
  expect(await ways()).toEqual([])
})

test('when the engine pays and the service asks concurrently, at most one of them wins', async () => {
  let [declines, payments] = [0, 0]
  for (let round = 0; round < 8; round++) {
    await fixture.restart()
    const order = await agree()
    await fund(order)
    const action = await leaseInitiation(order)
    // The engine found the price good a moment before it moved.
    const paying = async () => (await executeAction(executor(fixture.store.other, []), action)).kind === 'sent'
    refuse()
    const asking = async () => {
      // The engine commits to pay in between.
      const answer = await decide(order).catch((error: unknown) => {
        expect(error).toEqual(refused('conflict'))
        return null
      })
      return answer?.answer === 'declined'
    }
    const isDeclinedFirst = round % 2 === 0
    const [isDeclined, isPaid] = isDeclinedFirst
      ? await Promise.all([asking(), paying()])
      : (await Promise.all([paying(), asking()])).toReversed()
    expect(isDeclined && isPaid).toBe(false)
    expect(await ways()).toEqual([{ way: isDeclined ? 'refund_signed' : 'locked' }])
    expect(paid()).toHaveLength(isPaid ? 1 : 0)
    declines += isDeclined ? 1 : 0
    payments += isPaid ? 1 : 0
  }
  expect(declines + payments).toBeGreaterThan(0)
})
