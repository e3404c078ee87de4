/** Very many calls and deposits of one order must cost little, and they are limited. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { storedOrder } from '@tandem/party/store/store.fixture.ts'
import pg from 'pg'
import { describe, expect, test, vi } from 'vitest'
import { btc, NOW, orderBody, startTestService, wbtc } from '../testing/service.fixture.ts'
import { useInstantRefunds } from './instant-refunds.fixture.ts'

const refunds = useInstantRefunds()
const { signed, patch, deposit, mine, back, send, granted } = refunds

describe('many calls and deposits', () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `deposit ${String(index).padStart(3, '0')}`)
  const fund = (count: number) => mine('source', ...names(count).map((name) => deposit(name, 20_000n)))

  test('50 calls at once are one signing, and all get its transaction', async () => {
    await fund(3)
    const { onInstantRefund } = refunds.service.solver
    refunds.service.solver.onInstantRefund = (id, request) => {
      refunds.service.solver.delay = sleep(50)
      return onInstantRefund(id, request)
    }
    const calls = Array.from({ length: 50 }, () => patch())
    await expect.poll(async () => (await granted()).length).toBe(3)
    await send(back(1))
    const statuses = new Set((await Promise.all(calls)).map(({ status }) => status))
    expect(refunds.asked).toHaveLength(1)
    expect([...statuses].every((status) => [200, 503].includes(status))).toBe(true)
    expect(await patch()).toMatchObject({ status: 200, body: { result: back(1) } })
    expect(refunds.asked).toHaveLength(1)
  })

  test('at most 20 deposits are signed at once, and what is signed stays signed', async () => {
    await fund(45)
    const { onInstantRefund } = refunds.service.solver
    refunds.service.solver.onInstantRefund = (id, request) =>
      refunds.asked.length < 2 ? onInstantRefund(id, request) : { status: 409, body: { code: 'conflict', message: 'not now' } }
    expect(await patch()).toMatchObject({ status: 409, body: { error: expect.stringContaining('not now') } })
    expect(refunds.asked.map(({ refunds }) => refunds.length)).toEqual([20, 20])
    expect(await granted()).toHaveLength(40)
    refunds.service.solver.onInstantRefund = onInstantRefund
    expect(await patch()).toMatchObject({ status: 503 })
    expect(refunds.asked.map(({ refunds }) => refunds.length)).toEqual([20, 20, 5])
    expect((await granted()).map((refund) => refund.deposit)).toEqual(names(45))
  })

  test('a repeat costs two statements and one of the app, asks nobody, and wakes nobody', async () => {
    await fund(100)
    await patch()
    await send(back(1))
    let woken = 0
    refunds.service.world.onWake = () => {
      woken += 1
    }
    const solverCalls = refunds.asked.length
    const statements = vi.spyOn(pg.Client.prototype, 'query')
    expect(await patch()).toMatchObject({ status: 200, body: { result: back(1) } })
    expect(statements.mock.calls.length).toBeLessThanOrEqual(3)
    statements.mockClear()
    expect(await patch({ signatures: [] }, {})).toMatchObject({ status: 200, body: { result: back(1) } })
    expect(statements.mock.calls.length).toBeLessThanOrEqual(3)
    statements.mockRestore()
    expect(woken).toBe(0)
    expect(refunds.asked).toHaveLength(solverCalls)
  })

  test('a refusal for deposits that are uneconomic costs one statement and one of the app', async () => {
    await fund(100)
    Object.assign(refunds.service.chains.get('bitcoin_regtest') ?? {}, {
      failure: new ChainFailure('uneconomic', 'no deposit covers its fee'),
    })
    const statements = vi.spyOn(pg.Client.prototype, 'query')
    expect(await patch()).toMatchObject({ status: 409 })
    expect(statements.mock.calls.length).toBeLessThanOrEqual(2)
    statements.mockRestore()
  })

  test('calls that wait for a transaction share their statements', async () => {
    const patient = await startTestService({ environment: 'local', broadcastWaitMs: 1_000 })
    try {
      const { body } = await patient.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })
      const { order_id: id, order_token: held } = body.result as { order_id: string; order_token: string }
      const stored = await storedOrder(patient.db, id)
      refunds.order = stored.order
      patient.solver.onInstantRefund = (_, request) => signed(request)
      await patient.mine(refunds.order.source.chain, { height: 2000n, time: NOW }, [deposit('a', 900_000n)])
      const call = () =>
        patient.call('PATCH', `/v2/orders/${id}?action=instant-refund`, { body: { signatures: [] }, headers: { 'order-token': held } })
      await call()
      const statements = vi.spyOn(pg.Client.prototype, 'query')
      const beganAtMs = performance.now()
      const answers = await Promise.all(Array.from({ length: 40 }, call))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
      // Each call reads its app, and may begin beside a poll that is too old for it. There are five polls a second with at most three
      // statements each. Without sharing, every call would make its own.
      const polls = Math.ceil((performance.now() - beganAtMs) / 200) + 2
      expect(statements.mock.calls.length).toBeLessThan(2 * 40 + 3 * polls + 15)
      statements.mockRestore()
    } finally {
      await patient.close()
    }
  })

  test('an order whose signing fails is not signed more than ten times a minute; the token holder has a limit of its own', async () => {
    refunds.height += 1n
    await refunds.service.mine(refunds.order.source.chain, { height: refunds.height, time: refunds.order.deadline + 1n }, [
      deposit('late', 1_000_000n),
    ])
    let attempts = 0
    const { onInstantRefund } = refunds.service.solver
    refunds.service.solver.onInstantRefund = () => {
      attempts += 1
      return { status: 409, body: { code: 'conflict', message: 'not now' } }
    }
    for (let call = 0; call < 10; call += 1) expect(await patch({ signatures: [] }, {})).toMatchObject({ status: 409 })
    const limited = await patch({ signatures: [] }, {})
    expect(limited).toMatchObject({ status: 429, body: { status: 'Error', result: null, code: 'rate_limited' } })
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(attempts).toBe(10)
    refunds.service.solver.onInstantRefund = onInstantRefund
    expect(await patch()).toMatchObject({ status: 503 })
    expect(await granted()).toHaveLength(1)
    // This call needs no new signature.
    await send(back(1))
    expect(await patch({ signatures: [] }, {})).toMatchObject({ status: 200, body: { result: back(1) } })
  })
})
