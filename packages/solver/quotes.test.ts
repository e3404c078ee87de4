/** Tests the quotes of a solver. */
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { NOW } from '@tandem/party/store/store.fixture.ts'
import type { SolverQuoteRequest } from '@tandem/protocol/wire/solver.ts'
import { describe, expect, test } from 'vitest'
import { quote } from './quotes.ts'
import { testRisk } from './risk/risk.fixture.ts'
import { btc, caller, freshSolver, unpriced, wbtc } from './solver.fixture.ts'

const store = sharedStore()
const solver = freshSolver(store)

const ask = (request: Partial<SolverQuoteRequest>) =>
  quote(solver.context, { from: btc, to: wbtc, extra_fee_bips: 0, indicative: false, ...request }, caller)
const storedQuotes = () => store.db.selectFrom('quotes').selectAll().execute()

test('exact in: quotes the output less all fees, and stores the quote', async () => {
  const answer = await ask({ from_amount: '1000000', app: 'an app' })
  expect(answer).toEqual({
    solver_id: 'the solver',
    quote_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    source_amount: '1000000',
    destination_amount: '980000',
    fee_bips: 100,
    fixed_fee_usd_micros: '6000000',
    estimated_time: expect.any(Number),
    expires_at: Number(NOW) + 60,
  })
  expect(answer.estimated_time).toBeGreaterThan(0)
  expect(await storedQuotes()).toEqual([
    {
      id: answer.quote_id,
      source_asset: btc,
      destination_asset: wbtc,
      source_amount: 1_000_000n,
      destination_amount: 980_000n,
      extra_fee_bips: 0,
      expires_at: NOW + 60n,
      app: 'a service/an app',
      taken_by: null,
      client_secret: false,
    },
  ])
})

test('exact out: quotes the input', async () => {
  expect(await ask({ to_amount: '980000' })).toMatchObject({ source_amount: '1000000', destination_amount: '980000' })
})

test('adds the fees of the service and affiliates', async () => {
  expect(await ask({ from_amount: '1000000', extra_fee_bips: 50 })).toMatchObject({ destination_amount: '975000', fee_bips: 150 })
  expect((await storedQuotes())[0]?.extra_fee_bips).toBe(50)
})

describe('for an order whose secret the client keeps', () => {
  /** Returns the fee of a quote in bips, with a rate that moves by one bip a second, and with this share of the limit open. */
  async function feeBips(openPercent: bigint, request: Partial<SolverQuoteRequest>): Promise<number> {
    const { context } = solver
    const prices = { ...context.pricing.prices, volatilityBips: (_from: string, _to: string, seconds: number) => seconds }
    const moving = {
      ...context,
      pricing: { ...context.pricing, prices },
      risk: testRisk(context.now, undefined, () => openPercent),
    }
    const asked = { from: btc, to: wbtc, from_amount: '1000000', extra_fee_bips: 0, indicative: false, ...request }
    return (await quote(moving, asked, caller)).fee_bips
  }

  test('the time in which it may choose is charged for, the more the more is open, and the quote says so', async () => {
    // The quote takes 60 s, its price holds for 600 s, and confirmations take 6 s: 0.4 standard deviations.
    expect(await feeBips(100n, {})).toBe(100 + Math.ceil(666 * 0.4))
    // The timelock adds 180 s: 0.4 standard deviations, or 1.5 at the limit of open amounts.
    expect(await feeBips(0n, { client_secret: true })).toBe(100 + Math.ceil(846 * 0.4))
    expect(await feeBips(100n, { client_secret: true })).toBe(100 + 846 * 1.5)
    expect((await storedQuotes()).map(({ client_secret }) => client_secret)).toEqual([false, true, true])
  })
})

describe('amounts that cannot be quoted', () => {
  test('refuses more than the solver holds', async () => {
    solver.hold(wbtc, 979_999n)
    await expect(ask({ from_amount: '1000000' })).rejects.toThrow(expect.objectContaining({ code: 'insufficient_liquidity' }))
    await expect(ask({ from_amount: '1000000' })).rejects.toThrow('980000 of ethereum_localnet:wbtc, only 979999')
    expect(await storedQuotes()).toEqual([])
    solver.hold(wbtc, 980_000n)
    await ask({ from_amount: '1000000' })
  })

  test('an indicative quote needs no inventory and is not stored', async () => {
    solver.hold(wbtc, 0n)
    expect(await ask({ from_amount: '1000000', indicative: true })).toMatchObject({ destination_amount: '980000' })
    expect(await storedQuotes()).toEqual([])
  })

  test('refuses an amount below the fees, indicative or not', async () => {
    for (const indicative of [true, false]) {
      await expect(ask({ from_amount: '10000', indicative })).rejects.toThrow(expect.objectContaining({ code: 'amount_out_of_range' }))
    }
  })
})

test.each<{ name: string; request: Partial<SolverQuoteRequest>; code: string }>([
  { name: 'both amounts', request: { from_amount: '1', to_amount: '1' }, code: 'bad_request' },
  { name: 'no amount', request: {}, code: 'bad_request' },
  { name: 'an unknown asset', request: { from: 'moon:cheese', from_amount: '1' }, code: 'unsupported_pair' },
  { name: 'an asset without contracts', request: { to: 'arbitrum_localnet:usdc', from_amount: '1' }, code: 'unsupported_pair' },
  { name: 'an asset without a price', request: { to: unpriced, from_amount: '1000000' }, code: 'unsupported_pair' },
])('$name: $code', async ({ request, code }) => {
  await expect(ask(request)).rejects.toThrow(expect.objectContaining({ code }))
  expect(await storedQuotes()).toEqual([])
})
