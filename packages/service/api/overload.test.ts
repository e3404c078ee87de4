/** Tests that an overloaded service or solver takes no new orders and serves those that exist. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { makeReadOnly } from '../../../test/database.ts'
import { btc, orderBody, sharedService, startTestService, wbtc } from '../testing/service.fixture.ts'

const service = sharedService()
afterEach(() => service.reset())

const quotePath = `/v2/quote?from=${btc}&to=${wbtc}&from_amount=1000000`
const create = async () => {
  const { body } = await service.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })
  return (body.result as { order_id: string }).order_id
}

describe('an overloaded service', () => {
  test('refuses quotes and orders with 503 and Retry-After, asks no solver and writes nothing', async () => {
    const before = await service.countRows()
    service.world.overloaded = true
    for (const answer of [
      await service.call('GET', quotePath),
      await service.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) }),
      await service.call('POST', '/v2/orders', { raw: '{"no": JSON' }),
    ]) {
      expect(answer).toMatchObject({
        status: 503,
        body: { status: 'Error', code: 'chain_unavailable', result: null, error: expect.stringContaining('try again in 2 seconds') },
      })
      expect(answer.headers.get('retry-after')).toBe('2')
    }
    expect([service.solver.quoted, service.solver.ordered]).toEqual([[], []])
    expect(await service.countRows()).toEqual(before)
  })

  test('says what is wrong if the database takes no writes: that is no load', async () => {
    service.world.overloaded = true
    expect((await service.call('GET', quotePath)).body.error).toContain('busy with the swaps in progress')
    const readOnly = await startTestService()
    try {
      readOnly.world.overloaded = true
      await makeReadOnly(readOnly.databaseUrl)
      await expect
        .poll(async () => (await readOnly.call('GET', quotePath)).body.error)
        .toContain('the database is read-only: no new swap starts now')
    } finally {
      await readOnly.close()
    }
  })

  test('serves everything about orders that exist', async () => {
    const id = await create()
    service.world.overloaded = true
    expect(await service.call('GET', `/v2/orders/${id}`)).toMatchObject({ status: 200 })
    expect(await service.call('GET', `/v2/orders/${id}/funding`)).toMatchObject({ status: 200 })
    expect(await service.call('GET', '/v2/orders')).toMatchObject({ status: 200 })
    // These are judged on their merits: there is nothing to refund yet, and the secret does not exist.
    for (const [action, body] of [
      ['refund', {}],
      ['instant-refund', { signatures: [] }],
      ['redeem', { secret: '00'.repeat(32) }],
    ] as const) {
      const { status } = await service.call('PATCH', `/v2/orders/${id}?action=${action}`, { body })
      expect([400, 409]).toContain(status)
    }
  })
})

test('without an engine no new swap starts, and /readyz says why; orders that exist are served', async () => {
  const id = await create()
  service.world.engineProblem = 'no engine is running'
  for (const answer of [await service.call('GET', quotePath), await service.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })]) {
    expect(answer).toMatchObject({
      status: 503,
      body: { code: 'chain_unavailable', error: expect.stringContaining('no engine is running: no new') },
    })
    expect(answer.headers.get('retry-after')).toBe('2')
  }
  for (const path of ['/readyz', '/v2/health'])
    expect(await service.call('GET', path)).toMatchObject({ status: 503, body: { error: 'no engine is running' } })
  expect(await service.call('GET', `/v2/orders/${id}`)).toMatchObject({ status: 200 })
  service.world.engineProblem = null
  expect(await service.call('GET', '/readyz')).toMatchObject({ status: 200 })
})

describe('an overloaded solver', () => {
  const overloaded = () => ({ status: 503, body: { code: 'chain_unavailable', message: 'busy', retry_after: 1 } })
  const start = performance.now()
  let passedMs = 0
  beforeAll(() => void vi.spyOn(performance, 'now').mockImplementation(() => start + passedMs))
  // What one test made a solver name is over for the next.
  afterEach(() => {
    passedMs += 1_000
  })
  afterAll(() => vi.restoreAllMocks())

  test('has declined: the other solver gets the order, and the first one is not asked again until the time that it named', async () => {
    service.solver.onQuote = overloaded
    service.solver.onOrder = overloaded
    for (let call = 0; call < 3; call += 1) {
      const { body } = await service.call('GET', quotePath)
      expect(body.result).toMatchObject([{ solver_id: 'second' }])
    }
    expect(await service.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })).toMatchObject({ status: 200 })
    passedMs += 999
    await service.call('GET', quotePath)
    expect([service.solver.quoted.length, service.solver.ordered.length]).toEqual([1, 0])
    passedMs += 1
    await service.call('GET', quotePath)
    expect(service.solver.quoted).toHaveLength(2)
  })

  test('without another one: the answer is 503 with its Retry-After', async () => {
    for (const solver of [service.solver, service.secondSolver]) solver.onQuote = overloaded
    const answer = await service.call('GET', quotePath)
    expect(answer).toMatchObject({ status: 503, body: { code: 'chain_unavailable', error: 'busy' } })
    expect(answer.headers.get('retry-after')).toBe('1')
  })

  test('that names no time: the client is told one', async () => {
    const busy = () => ({ status: 503, body: { code: 'chain_unavailable', message: 'busy' } })
    for (const solver of [service.solver, service.secondSolver]) solver.onOrder = busy
    const answer = await service.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })
    expect(answer).toMatchObject({ status: 503, body: { code: 'chain_unavailable', error: 'busy' } })
    expect(answer.headers.get('retry-after')).toBe('2')
  })
})
