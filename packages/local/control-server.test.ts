/** Tests the control server of the local stack: faucet, switch of the solver, time, and who may call it. */
import { TandemError } from '@tandem/protocol/error.ts'
import { callHttp } from '@tandem/runtime/http-client.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { startControlServer } from './control-server.ts'

const given: unknown[] = []
const switched: boolean[] = []
const passed: unknown[] = []
const PAGE = 'http://127.0.0.1:8080'
let trouble: Error | null = null
const server = opened(() =>
  startControlServer({
    async fund(...what) {
      if (trouble !== null) throw trouble
      given.push(what)
      return 'tx'
    },
    async setSolverRunning(running) {
      if (trouble !== null) throw trouble
      switched.push(running)
    },
    async passTime(...what) {
      passed.push(what)
    },
    origins: [PAGE],
  }),
)
beforeEach(() => {
  given.length = 0
  switched.length = 0
  trouble = null
})

async function post(url: string, body: unknown) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}

test('listens on this machine only', () => {
  for (const url of [server.faucetUrl, server.solverSwitchUrl, server.timeUrl]) expect(new URL(url).hostname).toBe('127.0.0.1')
})

test('a page whose own host name points to this machine is refused', async () => {
  const call = (host: string) =>
    callHttp({
      url: server.solverSwitchUrl,
      headers: { host, 'content-type': 'application/json' },
      body: '{"running":false}',
      timeoutMs: 5_000,
      maxBytes: 10_000,
    })
  expect(await call('rebound.example:8080')).toMatchObject({ status: 403, text: expect.stringContaining('only this machine') })
  expect(switched).toEqual([])
  expect(await call('localhost:8080')).toMatchObject({ status: 200 })
})

describe('the faucet', () => {
  const address = '0xAbC'

  test.each([
    { asset: 'ethereum_localnet:wbtc' },
    { asset: 'Ethereum_Localnet:WBTC' },
    { chain: 'ethereum_localnet', asset: 'WBTC' },
    { chain: 'ignored', asset: 'ethereum_localnet:wbtc' },
  ])('gives the requested asset: %o', async (which) => {
    expect(await post(server.faucetUrl, { ...which, address, amount: '100' })).toEqual({
      status: 200,
      body: { status: 'Ok', error: null, result: 'tx' },
    })
    expect(given).toEqual([['ethereum_localnet:wbtc', address, 100n]])
  })

  test.each<{ name: string; body: unknown; error: RegExp }>([
    { name: 'no address', body: { asset: 'a:b', amount: '1' }, error: /address/ },
    { name: 'no amount', body: { asset: 'a:b', address }, error: /amount/ },
    { name: 'a fraction', body: { asset: 'a:b', address, amount: '1.5' }, error: /amount/ },
    { name: 'a negative amount', body: { asset: 'a:b', address, amount: '-1' }, error: /amount/ },
    { name: 'zero', body: { asset: 'a:b', address, amount: '0' }, error: /amount/ },
    { name: 'no JSON', body: '{', error: /JSON/ },
  ])('refuses $name', async ({ body, error }) => {
    expect(await post(server.faucetUrl, body)).toEqual({
      status: 400,
      body: { status: 'Error', error: expect.stringMatching(error), result: null },
    })
    expect(given).toEqual([])
  })

  test.each([
    { error: new TandemError('invalid_address', 'that is no account'), status: 400 },
    { error: new Error('the chain is down'), status: 500 },
  ])('passes on the error: $error', async ({ error, status }) => {
    trouble = error
    expect(await post(server.faucetUrl, { asset: 'a:b', address, amount: '1' })).toEqual({
      status,
      body: { status: 'Error', error: error.message, result: null },
    })
  })
})

describe('the switch', () => {
  test.each([true, false])('turns the solver to %s', async (running) => {
    expect(await post(server.solverSwitchUrl, { running })).toEqual({ status: 200, body: { status: 'Ok', error: null, result: running } })
    expect(switched).toEqual([running])
  })

  test.each([{}, { running: 'perhaps' }, '[]'])('refuses %o', async (body) => {
    expect(await post(server.solverSwitchUrl, body)).toMatchObject({ status: 400, body: { status: 'Error', result: null } })
    expect(switched).toEqual([])
  })

  test('reports a failure', async () => {
    trouble = new Error('it does not start')
    expect(await post(server.solverSwitchUrl, { running: true })).toMatchObject({ status: 500, body: { error: 'it does not start' } })
  })
})

test('time passes on the named chain, within limits', async () => {
  expect(await post(server.timeUrl, { chain: 'bitcoin_regtest', units: 200 })).toMatchObject({ status: 200, body: { result: 200 } })
  expect(await post(server.timeUrl, { chain: 'bitcoin_regtest', units: 10_001 })).toMatchObject({ status: 400 })
  expect(passed).toEqual([['bitcoin_regtest', 200]])
})

test('pages of the service may call, others may not', async () => {
  const preflight = async (origin: string) =>
    (await fetch(server.faucetUrl, { method: 'OPTIONS', headers: { origin } })).headers.get('access-control-allow-origin')
  expect(await preflight(PAGE)).toBe(PAGE)
  expect(await preflight('https://elsewhere.example')).toBe(null)
})
