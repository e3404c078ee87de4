/** Tests the endpoints for liquidity, health and earnings. */
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import { expect, test } from 'vitest'
import { startTestService, wbtc } from '../../testing/service.fixture.ts'

const service = openedForEach(startTestService)

test('/liquidity returns the balance and the available amount of every solver', async () => {
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

test('/liquidity leaves out solvers that do not answer, and unknown assets', async () => {
  service.solver.onLiquidity = () => 'hang up'
  service.secondSolver.onLiquidity = () => ({
    status: 200,
    body: { solver_id: 'second', holdings: [{ asset: 'moon:cheese', address: 'x', balance: '1', available: '1' }] },
  })
  expect((await service.call('GET', '/v2/liquidity')).body.result).toEqual([{ solver_id: 'second', addresses: [], liquidity: [] }])
})

test('/liquidity leaves out solvers whose answer is invalid', async () => {
  for (const solver of [service.solver, service.secondSolver])
    solver.onLiquidity = () => ({ status: 200, body: { solver_id: 'first', holdings: [{ asset: wbtc, address: 'x', balance: '-1' }] } })
  expect((await service.call('GET', '/v2/liquidity')).body.result).toEqual([])
})

test('/health is online while one solver answers', async () => {
  service.solver.onHealth = () => 'hang up'
  expect((await service.call('GET', '/v2/health')).body).toEqual({ status: 'Ok', error: null, result: 'Online' })
})

test('a solver that refuses to answer does not hide the others', async () => {
  const refusal = { status: 503, body: { code: 'chain_unavailable', message: 'starting' } }
  service.solver.onLiquidity = () => refusal
  service.solver.onHealth = () => refusal
  const { body } = await service.call('GET', '/v2/liquidity')
  expect(body.result).toMatchObject([{ solver_id: 'second' }])
  expect((await service.call('GET', '/v2/health')).body).toMatchObject({ result: 'Online' })
})

test('/health is offline when no solver answers', async () => {
  for (const solver of [service.solver, service.secondSolver]) solver.onHealth = () => 'hang up'
  expect(await service.call('GET', '/v2/health')).toMatchObject({ status: 503, body: { status: 'Error', code: 'chain_unavailable' } })
})

test('/apps/earnings returns an empty list', async () => {
  expect((await service.call('GET', '/v2/apps/earnings')).body).toEqual({ status: 'Ok', error: null, result: [] })
})
