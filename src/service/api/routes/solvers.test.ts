import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestService, type TestService, wbtc } from '../../testing/service.fixture.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

test('what every solver holds, and what of it is free', async () => {
  const { body } = await service.call('GET', '/v2/liquidity')
  const address = `0x${'5'.repeat(40)}`
  const liquidity = [
    { asset: wbtc, address, balance: '250000000', virtual_balance: '150000000', readable_balance: '1.5', fiat_value: '90000.00' },
  ]
  expect(body.result).toEqual([
    { solver_id: 'first', addresses: [address], liquidity },
    { solver_id: 'second', addresses: [address], liquidity },
  ])
})

test('a solver that is silent or talks nonsense is left out, and assets nobody knows too', async () => {
  service.solver.onLiquidity = () => 'hang up'
  service.secondSolver.onLiquidity = () => ({
    status: 200,
    body: { solver_id: 'second', holdings: [{ asset: 'moon:cheese', address: 'x', balance: '1', available: '1' }] },
  })
  expect((await service.call('GET', '/v2/liquidity')).body.result).toEqual([{ solver_id: 'second', addresses: [], liquidity: [] }])
})

test('nonsense is not passed on', async () => {
  for (const solver of [service.solver, service.secondSolver])
    solver.onLiquidity = () => ({ status: 200, body: { solver_id: 'first', holdings: [{ asset: wbtc, address: 'x', balance: '-1' }] } })
  expect((await service.call('GET', '/v2/liquidity')).body.result).toEqual([])
})

test('online while one solver answers', async () => {
  service.solver.onHealth = () => 'hang up'
  expect((await service.call('GET', '/v2/health')).body).toEqual({ status: 'Ok', error: null, result: 'Online' })
})

test('offline when none does', async () => {
  for (const solver of [service.solver, service.secondSolver]) solver.onHealth = () => 'hang up'
  expect(await service.call('GET', '/v2/health')).toMatchObject({ status: 503, body: { status: 'Error', code: 'chain_unavailable' } })
})

test('earnings have their shape and no entries yet', async () => {
  expect((await service.call('GET', '/v2/apps/earnings')).body).toEqual({ status: 'Ok', error: null, result: [] })
})
