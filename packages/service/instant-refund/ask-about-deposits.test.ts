// An exact deposit that the solver does not pay for is refunded at once, if the solver declines it.

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import { beforeEach, expect, test } from 'vitest'
import type { SyncContext } from '../solver-sync/solver-sync.ts'
import { answerWith, useSyncFixture } from '../solver-sync/sync-tasks.fixture.ts'
import { btc, eventsOf, wbtc } from '../testing/service.fixture.ts'
import { createDepositQuestions } from './ask-about-deposits.ts'
import { createAutomaticRefundTasks } from './automatic-refunds.ts'
import { recordRefundCost } from './refund-budget.ts'

const refundTasks = (context: SyncContext, states: readonly OrderState[]) => createAutomaticRefundTasks(context)(states)

const sync = useSyncFixture(wbtc, btc)
const SECOND = 1_000
let now: number
let asked: number
let questions: ReturnType<typeof createDepositQuestions>

beforeEach(() => {
  now = 1_000_000
  asked = 0
  questions = createDepositQuestions(sync.context, () => now)
  answer('wait')
})

function answer(given: 'wait' | 'declined'): void {
  sync.service.solver.onFill = () => {
    asked += 1
    return answerWith({ answer: given, signature: null, reason: 'the price has moved' })
  }
}
/** Runs what is due after `seconds`. It returns the time at which the order is to be looked at again. */
async function after(seconds: number): Promise<number | null> {
  now += seconds * SECOND
  const state = await sync.state()
  for (const task of questions([state])) if ((task.dueAtMs ?? 0) <= now) await task.run()
  const [next] = questions([state])
  return next?.dueAtMs === undefined ? null : (next.dueAtMs - now) / SECOND
}
const fund = async () => sync.mine(eventsOf(sync.order.source).initiated(`deposit of ${sync.order.id}`))
const stored = () => sync.find(sync.order.id)

test('the solver is asked after two seconds without a payment, then less and less often, and not after it has paid', async () => {
  expect(await after(0)).toBe(null)
  await fund()
  expect(await after(0)).toBe(2)
  expect([await after(2), asked]).toEqual([4, 1])
  expect([await after(4), asked]).toEqual([8, 2])
  for (let repeats = 0; repeats < 5; repeats++) await after(60)
  expect(await after(30)).toBe(30)
  expect((await stored()).declined).toBe(null)
  await sync.service.mine(sync.order.destination.chain, { height: sync.height + 1n, time: sync.service.world.now }, [
    eventsOf(sync.order.destination).initiated(`payment of ${sync.order.id}`),
  ])
  expect(await after(60)).toBe(null)
})

test('a slow solver that says "wait" is not asked about other orders for a while; one that declines is', async () => {
  await fund()
  const state = await sync.state()
  const others = ['a', 'b'].map((id): OrderState => ({ ...state, order: { ...state.order, id } }))
  let given: 'wait' | 'declined' = 'wait'
  sync.service.solver.onFill = () => {
    asked += 1
    now += 20
    return answerWith({ answer: given, signature: null, reason: null })
  }
  const due = () => questions(others).filter(({ dueAtMs = 0 }) => dueAtMs <= now)
  const askOneAtATime = async () => {
    for (const task of due()) await task.run()
    return asked
  }
  await askOneAtATime()
  now += 2 * SECOND
  expect(await askOneAtATime()).toBe(1)
  now += 2 * SECOND
  expect(await askOneAtATime()).toBe(2)
  now += 60 * SECOND
  await Promise.all(due().map((task) => task.run()))
  expect(asked).toBe(3)
  given = 'declined'
  now += 60 * SECOND
  expect(await askOneAtATime()).toBe(5)
})

test('a declined deposit is refunded to its initiator by the consent of the solver alone', async () => {
  await fund()
  answer('declined')
  await after(0)
  await after(2)
  expect((await stored()).declined).toBe('the solver declined: the price has moved')
  expect((await sync.state()).status).toBe('awaiting_refund')
  expect(await after(60)).toBe(null)
  const { terms } = sync.order.source
  await sync.run(refundTasks)
  const refund = { deposit: expect.any(String), amount: terms.amount.toString(), to: terms.initiator, pays: terms.amount.toString() }
  expect(sync.refunded).toEqual([{ refunds: [refund], offer: null }])
  expect((await stored()).grants).toMatchObject([{ kind: 'instant-refund', refunds: [{ to: terms.initiator, pays: terms.amount }] }])
})

test('without a budget for its network fee, a deposit is not refunded before its timelock, and the solver is not asked', async () => {
  await fund()
  answer('declined')
  await after(0)
  await after(2)
  const poor = { ...sync.context, settings: { ...sync.context.settings, refundBudget: { ownerUsdMicros: 0n, appUsdMicros: 0n } } }
  expect(await sync.run((_, states) => refundTasks(poor, states))).toEqual(['later'])
  expect([sync.refunded, (await stored()).grants]).toEqual([[], []])
  expect(await sync.run(refundTasks)).toEqual(['done'])
  expect(sync.refunded).toHaveLength(1)
})

test('a refund that the solver does not sign costs its owner nothing of the budget; one that is sent costs what it takes then', async () => {
  await fund()
  answer('declined')
  await after(0)
  await after(2)
  const paid = async () =>
    (await sync.service.db.selectFrom('paid_refunds').select('usd_micros').where('order_id', '=', sync.order.id).execute()).map(
      ({ usd_micros }) => usd_micros,
    )
  const willing = sync.service.solver.onInstantRefund
  sync.service.solver.onInstantRefund = () => ({ status: 409, body: { code: 'conflict', message: 'not now' } })
  await expect(sync.run(refundTasks)).rejects.toThrow()
  expect([await paid(), (await stored()).grants]).toEqual([[], []])
  sync.service.solver.onInstantRefund = willing
  await sync.run(refundTasks)
  expect(await paid()).toEqual([1_000_000n])
  const client = clientFor(sync.context.clients, sync.order.source.chain)
  const legCost = async () => ({ decimals: 0, initiate: 0n, redeem: 0n, refund: 1n })
  const maxCost = async () => 7_000_000n
  const changed = { ...client, legCost, instantRefund: { ...client.instantRefund, maxCost } } as ChainClient
  const clients = new Map([[client.chain.id, changed]])
  await recordRefundCost({ ...sync.context, clients, prices: { ...sync.context.prices, find: () => 100n } }, sync.order)
  expect(await paid()).toEqual([7_000_000n])
})
