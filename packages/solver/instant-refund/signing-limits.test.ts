/** Tests how often a solver signs refunds for one order and one service. */
import type { Order } from '@tandem/protocol/order.ts'
import { FAKE_OFFER } from '@tandem/service/testing/fake-chain.fixture.ts'
import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { caller } from '../solver.fixture.ts'
import { refundOf, refused, useRefundFixture } from './refunds.fixture.ts'
import { signInstantRefunds } from './sign-instant-refunds.ts'

const fixture = useRefundFixture()
const { agree, fund, ask, nothingSigned } = fixture

const spyOnSigning = () => {
  const { instantRefund, cosignedRefund } = fixture.solver.bitcoin
  if (instantRefund === undefined || cosignedRefund === undefined) throw new Error('the fake has instant refunds')
  return { answer: vi.spyOn(cosignedRefund, 'answer'), sign: vi.spyOn(instantRefund, 'sign') }
}
/** Counts this many signatures in the current minute. */
const use = (name: string, signings: number) =>
  sql`insert into signing_counts (name, signings, ends_at) values (${name}, ${signings}, now() + interval '1 minute')`.execute(
    fixture.store.db,
  )
const small = (order: Order) => [refundOf(order, { amount: '900000' })]

test('a repeated request gets the same answer without a new signature; with another offer or payment it is signed again', async () => {
  const order = await agree()
  await fund(order, 900_000n)
  const { answer, sign } = spyOnSigning()
  const request = { refunds: small(order), offer: FAKE_OFFER }
  const first = await signInstantRefunds(fixture.solver.context, order.id, request, caller)
  expect(await signInstantRefunds(fixture.solver.context, order.id, structuredClone(request), caller)).toEqual(first)
  expect(answer).toHaveBeenCalledTimes(1)
  await ask(order, small(order))
  await ask(order, [refundOf(order, { amount: '900000', pays: '1' })])
  expect(sign).toHaveBeenCalledTimes(2)
})

test('requests of one order that arrive together are one signature if they are the same', async () => {
  const order = await agree()
  await fund(order, 900_000n)
  const { sign } = spyOnSigning()
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask(order, small(order))))
  expect(new Set(answers.map((one) => one.answer)).size).toBe(1)
  expect(sign).toHaveBeenCalledTimes(1)
})

describe('refuses before it reads the chains, and signs nothing,', () => {
  test('when an order was signed too often in a minute; other orders are signed', async () => {
    const [order, other] = [await agree(), await agree()]
    await fund(order, 900_000n)
    await fund(other, 900_000n)
    await use(`instant refund ${order.id}`, 300)
    const tips = vi.spyOn(fixture.solver.bitcoin, 'tip')
    for (const _ of [1, 2])
      await expect(ask(order, small(order))).rejects.toThrow(refused('rate_limited', /more than 300 signatures for order/))
    expect(tips).not.toHaveBeenCalled()
    await nothingSigned(order)
    const { rows } = await sql<{
      signings: bigint
    }>`select signings from signing_counts where name = 'instant refunds of a service'`.execute(fixture.store.db)
    expect(rows).toEqual([])
    await ask(other, small(other))
  })

  test('when all orders of its service were signed too often in a minute; another service uses up nothing of it', async () => {
    const order = await agree()
    await fund(order, 900_000n)
    await use('instant refunds of another service', 3_000)
    await use('instant refunds of a service', 3_000)
    await expect(ask(order, small(order))).rejects.toThrow(refused('rate_limited', /more than 3000 signatures for instant refunds/))
    await nothingSigned(order)
  })
})
