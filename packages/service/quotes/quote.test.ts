/** Tests the answers to requests for a quote. */
import { afterEach, expect, test } from 'vitest'
import { opaque } from '../opaque.ts'
import { quoteOf, refuse } from '../testing/fake-solver.fixture.ts'
import { btc, eth, inactive, sharedService, usdc, wbtc } from '../testing/service.fixture.ts'

const service = sharedService({ environment: 'local', serviceFeeBips: 7 })
afterEach(() => service.reset())

const ask = (query: string) => service.call('GET', `/v2/quote?${query}`)
const pair = `from=${btc}&to=${wbtc}`

test.each([
  ['quote_id', 'x'.repeat(200)],
  ['fixed_fee_usd_micros', '9'.repeat(100)],
  ['estimated_time', 1e15],
  ['expires_at', 1e18],
])('a solver whose %s is absurd is left out: what it says is kept in memory and shown', async (field, value) => {
  service.solver.onQuote = (request) => ({ status: 200, body: { ...quoteOf('first', request), [field]: value } })
  const { body } = await ask(`${pair}&from_amount=1000000`)
  expect(body.result).toMatchObject([{ solver_id: 'second' }])
})

/** What the service means by each asset: see `listing-digest.ts`. */
const listings = { from_listing: expect.stringMatching(/^[0-9a-f]{32}$/), to_listing: expect.stringMatching(/^[0-9a-f]{32}$/) }

test('exact in: returns every field, and passes the fees of the service and the affiliate to the solver', async () => {
  service.secondSolver.onQuote = () => 'hang up'
  const reply = await ask(`from=${btc.toUpperCase()}&to=${wbtc}&from_amount=1000000&affiliate_fee=20&slippage=50`)
  expect(reply).toMatchObject({ status: 200, body: { status: 'Ok', error: null } })
  expect(reply.body.result).toEqual([
    {
      solver_id: 'first',
      quote_id: expect.stringMatching(/^[\w-]+\.[\w-]{22}$/),
      estimated_time: 20,
      source: { asset: btc, amount: '1000000', display: '0.01', value: '600.00' },
      destination: { asset: wbtc, amount: '990000', display: '0.0099', value: '594.00' },
      slippage: 50,
      fee: 57,
      fixed_fee: '0.15',
      expires_at: 2_000_000_000,
    },
  ])
  expect(service.solver.quoted).toEqual([
    { from: btc, to: wbtc, from_amount: '1000000', extra_fee_bips: 27, indicative: false, app: opaque('app', 'shop'), ...listings },
  ])
})

test('solvers are told if the client will keep the secret', async () => {
  await ask(`${pair}&from_amount=1000000&client_secret=true`)
  await ask(`${pair}&from_amount=1000000`)
  expect(service.solver.quoted.map(({ client_secret }) => client_secret)).toEqual([true, undefined])
})

test('exact out, indicative, with the net amount after the network fee of the payout', async () => {
  const bitcoin = service.chains.get('bitcoin_regtest')
  if (bitcoin === undefined) throw new Error('no chain')
  bitcoin.fee = 300n
  const reply = await ask(`from=${wbtc}&to=${btc}&to_amount=990000&indicative=true`)
  expect(reply.body.result).toMatchObject([
    { destination: { amount: '990000' }, source: { amount: '1000000' }, network_fee: '300', net_amount: '989700', slippage: 0 },
    {},
  ])
  expect(service.solver.quoted).toEqual([
    { from: wbtc, to: btc, to_amount: '990000', extra_fee_bips: 7, indicative: true, app: opaque('app', 'shop'), ...listings },
  ])
})

test('returns one quote per solver, best first, without solvers that fail, decline or answer wrongly', async () => {
  const { solver, secondSolver } = service
  secondSolver.onQuote = (request) => ({ status: 200, body: { ...quoteOf('second', request), destination_amount: '990001' } })
  const both = (await ask(`${pair}&from_amount=1000000`)).body.result
  expect(both).toMatchObject([{ solver_id: 'second' }, { solver_id: 'first' }])
  const wrongAnswers: readonly object[] = [
    { source_amount: '999999' },
    { source_amount: '-5' },
    { solver_id: 'first' },
    { destination_amount: 0.5 },
    { expires_at: 1_700_000_000 },
    { fee_bips: 6 },
    { fee_bips: 10_001 },
    { estimated_time: -1 },
    { destination_amount: '100000001' },
  ]
  for (const wrong of wrongAnswers) {
    service.forget()
    secondSolver.onQuote = (request) => ({ status: 200, body: { ...quoteOf('second', request), ...wrong } })
    expect((await ask(`${pair}&from_amount=1000000`)).body.result, JSON.stringify(wrong)).toMatchObject([{ solver_id: 'first' }])
  }
  expect(service.logged.join('')).toContain('the solver has no valid answer in an auction')
  secondSolver.onQuote = () => refuse('insufficient_liquidity', 'only 5 left')
  expect((await ask(`${pair}&from_amount=1000000`)).body.result).toHaveLength(1)
  solver.onQuote = () => refuse('internal', 'no idea')
  expect(await ask(`${pair}&from_amount=1000000`)).toMatchObject({
    status: 503,
    body: { code: 'chain_unavailable', error: expect.stringContaining('that may serve this pair does not answer') },
  })
  solver.onQuote = () => refuse('insufficient_liquidity', 'only 5 left')
  expect(await ask(`${pair}&from_amount=1000000`)).toMatchObject({
    status: 400,
    body: { code: 'insufficient_liquidity', error: 'only 5 left' },
  })
  solver.onQuote = () => refuse('internal', 'no idea')
  secondSolver.onQuote = () => 'hang up'
  const dead = await ask(`${pair}&from_amount=1000000`)
  expect(dead).toMatchObject({ status: 503, body: { code: 'chain_unavailable', error: expect.stringContaining('no solver answers') } })
  expect(Number(dead.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('refuses a quote whose output is out of range or does not cover its network fee', async () => {
  expect(await ask(`from=${eth}&to=${usdc}&from_amount=50000000000000000000`)).toMatchObject({
    status: 400,
    body: { code: 'amount_out_of_range', error: expect.stringMatching(/received .* arbitrum_localnet:usdc/) },
  })
  const bitcoin = service.chains.get('bitcoin_regtest')
  if (bitcoin === undefined) throw new Error('no chain')
  bitcoin.fee = 990_000n
  expect(await ask(`from=${wbtc}&to=${btc}&from_amount=1000000`)).toMatchObject({
    status: 400,
    body: { code: 'amount_out_of_range', error: expect.stringContaining('network fee of 990000') },
  })
})

test('does not quote on an unreachable chain', async () => {
  service.world.unreachable.add('bitcoin_regtest')
  expect(await ask(`${pair}&from_amount=1000000`)).toMatchObject({ status: 503, body: { code: 'chain_unavailable' } })
  expect(service.solver.quoted).toEqual([])
})

const badAmounts = ['1.5', '-1', '0', '01', '%2B1', '+1', '1e6', '', '0x10', '%EF%BC%91%EF%BC%92', `1${'0'.repeat(80)}`]

test.each<[string, string, RegExp]>([
  ...badAmounts.map((amount): [string, string, RegExp] => [
    `${pair}&from_amount=${amount}`,
    'bad_request',
    /from_amount must be a positive/,
  ]),
  ['', 'bad_request', /from is missing: expected an asset/],
  [`to=${wbtc}&from_amount=1000000`, 'bad_request', /from is missing/],
  [pair, 'bad_request', /exactly one .* neither/],
  [`${pair}&from_amount=1000000&to_amount=1000000`, 'bad_request', /exactly one .* both/],
  [`${pair}&from_amount=1000000&from_amount=2000000`, 'bad_request', /from_amount: expected .* got a list/],
  [`${pair}&from=${btc}&from_amount=1000000`, 'bad_request', /from: expected .* got a list/],
  [`${pair}&from_amount=9999`, 'amount_out_of_range', /from_amount must be from 10000 to 100000000 .* bitcoin_regtest:btc, got 9999/],
  [`${pair}&to_amount=100000001`, 'amount_out_of_range', /to_amount .* ethereum_localnet:wbtc/],
  [`from=${btc}&to=${btc}&from_amount=1000000`, 'unsupported_pair', /itself/],
  [`from=moon:cheese&to=${btc}&from_amount=1000000`, 'unsupported_pair', /moon:cheese/],
  [`from=__proto__&to=${btc}&from_amount=1000000`, 'bad_request', /<chain>:<token>/],
  [`from=${btc}&to=${inactive}&from_amount=1000000`, 'unsupported_pair', /not active/],
  [`${pair}&from_amount=1000000&slippage=501`, 'bad_request', /slippage: expected a whole number of bips from 0 to 500, got 501/],
  [`${pair}&from_amount=1000000&slippage=-1`, 'bad_request', /slippage/],
  [`${pair}&from_amount=1000000&slippage=1.0`, 'bad_request', /slippage/],
  [`${pair}&from_amount=1000000&slippage=1e2`, 'bad_request', /slippage/],
  [`${pair}&from_amount=1000000&slippage=`, 'bad_request', /slippage/],
  [`${pair}&from_amount=1000000&affiliate_fee=1001`, 'bad_request', /affiliate_fee must be at most 1000/],
  [`${pair}&from_amount=1000000&affiliate_fee=ten`, 'bad_request', /affiliate_fee: expected .* got "ten"/],
  [`${pair}&from_amount=1000000&indicative=yes`, 'bad_request', /indicative: expected true or false, got "yes"/],
])('?%s is refused with a clear text', async (query, code, words) => {
  const reply = await ask(query)
  expect(reply.status).toBe(400)
  expect(reply.body).toEqual({ status: 'Error', error: expect.stringMatching(words), result: null, code })
  expect(service.solver.quoted).toEqual([])
})

test('explain: the parts of a quote, for apps with the permission', async () => {
  const parts = [
    { name: 'base', ppm: 3_000, usd_micros: '1800000' },
    { name: 'inventory', ppm: -500, usd_micros: '-300000' },
    { name: 'fixed' },
  ]
  service.solver.onQuote = (request) => ({
    status: 200,
    body: { ...quoteOf('first', request), ...(request.explain === true && { parts, source_range: { min: '5', max: '0' } }) },
  })
  const { body } = await ask(`${pair}&from_amount=1000000&explain=true`)
  expect(body).toMatchObject({ code: 'forbidden' })
  expect(service.solver.quoted).toEqual([])
  await service.db
    .updateTable('apps')
    .set({ permissions: ['read', 'trade', 'explain'] })
    .execute()
  const quotes = async (query: string) => ((await ask(query)).body.result ?? []) as readonly Record<string, unknown>[]
  const explained = async () => (await quotes(`${pair}&from_amount=1000000&explain=true`)).find((quote) => quote.solver_id === 'first')
  // The app's settings are cached for a moment.
  await expect.poll(explained, { timeout: 60_000 }).toMatchObject({
    parts: [{ name: 'base', ppm: 3_000, usd: '1.8' }, { name: 'inventory', ppm: -500, usd: '-0.3' }, { name: 'fixed' }],
    source_range: { min: '5', max: '0' },
  })
  expect((await quotes(`${pair}&from_amount=1000000`))[0]).not.toHaveProperty('parts')
})
