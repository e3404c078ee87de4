/** Tests orders that are bound to a quote by its id. */
import { storedOrder } from '@tandem/party/store/store.fixture.ts'
import { afterEach, expect, test } from 'vitest'
import { createQuoteIds } from '../quotes/quote-ids.ts'
import { offerKey } from '../solvers/refused-offers.ts'
import { acceptanceOf, quoteOf, refuse } from '../testing/fake-solver.fixture.ts'
import { btc, NOW, orderBody, sharedService, startTestService, wbtc } from '../testing/service.fixture.ts'

const service = sharedService()
afterEach(() => service.reset())

type Quoted = { readonly solver_id: string; readonly quote_id: string; readonly destination: { readonly amount: string } }

/** The second solver has the better price. */
async function quotes(query = ''): Promise<readonly Quoted[]> {
  service.secondSolver.onQuote = (request) => ({ status: 200, body: { ...quoteOf('second', request), destination_amount: '991000' } })
  const { body } = await service.call('GET', `/v2/quote?from=${wbtc}&to=${btc}&from_amount=1000000${query}`)
  expect(body.error).toBe(null)
  return body.result as readonly Quoted[]
}
const post = (changes: object, headers = {}) =>
  service.call('POST', '/v2/orders', { body: { ...orderBody(wbtc, btc), ...changes }, headers })
const orderOf = async (reply: ReturnType<typeof post>) => {
  const { body } = await reply
  expect(body.error).toBe(null)
  return (await storedOrder(service.db, (body.result as { order_id: string }).order_id)).order
}
const pays = (id: string, amount: string) => (request: Parameters<typeof acceptanceOf>[1]) => {
  const acceptance = acceptanceOf(id, request)
  return { status: 200, body: { ...acceptance, destination: { ...acceptance.destination, amount } } }
}

test('quote_id binds an order to the quote: its solver is asked with its own id, and no other takes over', async () => {
  const [, worse] = await quotes()
  expect(worse?.solver_id).toBe('first')
  expect(await orderOf(post({ quote_id: worse?.quote_id }))).toMatchObject({ solverId: 'first' })
  expect(service.solver.ordered).toEqual([expect.objectContaining({ quote_id: 'first-quote' })])
  expect(service.secondSolver.ordered).toEqual([])
  service.solver.onOrder = () => refuse('price_moved', 'it moved')
  expect(await post({ quote_id: worse?.quote_id })).toMatchObject({ status: 400, body: { code: 'price_moved' } })
  expect(service.secondSolver.ordered).toEqual([])
})

test('other processes of the service know the quote: the id carries it', async () => {
  const topic = { source: { id: wbtc }, destination: { id: btc }, extraFeeBips: 20, app: 'shop' } as const
  const plain = {
    solverId: 'first',
    quoteId: 'a.b',
    sourceAmount: 1n,
    destinationAmount: 2n ** 200n,
    expiresAt: NOW + 1n,
    networkFee: 3n,
    gas: null,
  }
  for (const quote of [plain, { ...plain, gas: { amount: 2n ** 100n, feeBips: 7 } }]) {
    const id = createQuoteIds('secret').issue(quote, topic)
    expect(createQuoteIds('secret').read(id, topic, NOW)).toEqual(quote)
  }
  const id = createQuoteIds('secret').issue(plain, topic)
  expect(() => createQuoteIds('another').read(id, topic, NOW)).toThrow('quote_id is not')
})

test.each<{ name: string; change: (quoted: Quoted) => object; app?: string; message: string }>([
  { name: 'unknown', change: () => ({ quote_id: 'first-quote' }), message: 'is not the id of a quote' },
  { name: 'changed', change: ({ quote_id: id }) => ({ quote_id: `A${id.slice(1)}` }), message: 'is not the id of a quote' },
  { name: 'with more behind it', change: ({ quote_id: id }) => ({ quote_id: `${id}.` }), message: 'is not the id of a quote' },
  { name: "another app's", change: (quoted) => ({ quote_id: quoted.quote_id }), app: 'other', message: 'is not the id of a quote' },
  { name: 'of another pair', change: ({ quote_id }) => ({ ...orderBody(btc, wbtc), quote_id }), message: 'is not the id of a quote' },
  {
    name: 'of another solver',
    change: ({ quote_id }) => ({ quote_id, solver_id: 'first' }),
    message: 'the quote is of solver second, solver_id names first',
  },
  {
    name: 'for another amount',
    change: ({ quote_id }) => ({ quote_id, source: { ...orderBody(wbtc, btc).source, amount: '1000001' } }),
    message: `the quote is for 1000000 of ${wbtc}, source.amount is 1000001`,
  },
  {
    name: 'for less than asked',
    change: ({ quote_id }) => ({ quote_id, destination: { ...orderBody(wbtc, btc).destination, amount: '991001' } }),
    message: `the quote gives 991000 of ${btc}, destination.amount asks for 991001`,
  },
  {
    name: 'without the affiliate fee',
    change: ({ quote_id }) => ({ quote_id, affiliate_fees: [{ address: `0x${'b0'.repeat(20)}`, fee: 10 }] }),
    message: 'the quote has 0 bips of fees for the service and affiliates, the order 10',
  },
])('a quote_id that is $name is refused, and no solver is asked', async ({ change, app, message }) => {
  const [best] = await quotes()
  if (best === undefined) throw new Error('no quote')
  const headers = app === undefined ? {} : { 'service-app-id': service.otherAppId }
  const { status, body } = await post(change(best), headers)
  expect([status, body.code, body.error]).toEqual([400, 'bad_request', expect.stringContaining(message)])
  expect([...service.solver.ordered, ...service.secondSolver.ordered]).toEqual([])
})

test('a quote_id that has expired is refused as a price that moved; that of an indicative quote binds nobody', async () => {
  const [best] = await quotes()
  service.world.now = 2_000_000_000n
  expect(await post({ quote_id: best?.quote_id })).toMatchObject({ status: 400, body: { code: 'price_moved' } })
  service.world.now = NOW
  const [indicative] = await quotes('&indicative=true')
  expect(await post({ quote_id: indicative?.quote_id })).toMatchObject({ status: 400, body: { code: 'bad_request' } })
})

test('a solver may pay more than asked for, unless the user accepts worse', async () => {
  service.solver.onOrder = pays('first', '991000')
  expect(await orderOf(post({ solver_id: 'first' }))).toMatchObject({ destination: { terms: { amount: 991_000n } } })
  expect(service.solver.ordered[0]).not.toHaveProperty('accept_worse')
  expect(await post({ solver_id: 'first', accept_worse: true })).toMatchObject({ status: 503, body: { code: 'chain_unavailable' } })
  expect(service.solver.ordered[1]).toMatchObject({ accept_worse: true })
})

test('a quote is paid as it was given, also when our own prices have moved since', async () => {
  const strict = await startTestService({ environment: 'local', maxQuoteDeviationBips: 300 })
  const { body } = await strict.call('GET', `/v2/quote?from=${wbtc}&to=${btc}&from_amount=1000000`)
  const [quoted] = body.result as readonly Quoted[]
  const before = strict.world.priceOf
  strict.world.priceOf = (asset) => (asset === btc ? before(asset) * 2n : before(asset))
  const order = { ...orderBody(wbtc, btc), quote_id: quoted?.quote_id }
  const asked = { ...order, destination: { ...order.destination, amount: '900000' } }
  strict.solver.onOrder = pays('first', quoted?.destination.amount ?? '')
  expect(await strict.call('POST', '/v2/orders', { body: asked })).toMatchObject({ status: 200 })
  strict.solver.onOrder = pays('first', '990001')
  expect(await strict.call('POST', '/v2/orders', { body: asked })).toMatchObject({ status: 503 })
  await strict.close()
})

test('a repeat must have the same quote_id and accept_worse', async () => {
  const [best] = await quotes()
  const body = { nonce: 'once', quote_id: best?.quote_id }
  const first = await orderOf(post(body))
  expect((await orderOf(post(body))).id).toBe(first.id)
  expect(await post({ ...body, quote_id: null })).toMatchObject({ status: 409 })
  expect(await post({ ...body, accept_worse: true })).toMatchObject({ status: 409 })
})

test('a solver that refuses what it quoted for the sake of other users is noted, until the swap is funded with another', async () => {
  const [best] = await quotes()
  expect(best?.solver_id).toBe('second')
  for (const code of ['conflict', 'chain_unavailable', 'amount_out_of_range']) {
    service.secondSolver.onOrder = () => refuse(code, 'not for you')
    const { source, destination, solverId } = await orderOf(post({}))
    expect([solverId, service.pool.named('second').standing()]).toEqual(['first', 'in'])
    const users = { source: { address: source.userAddress }, destination: { address: destination.userAddress } }
    service.pool.recordFunded(offerKey({ source: wbtc, destination: btc }, users, source.agreedAmount), solverId)
  }
  expect(service.pool.named('second').standing()).toBe('out')
})

test('a quote in its last seconds may have expired by the clock of the solver: that breaks nothing', async () => {
  const [best] = await quotes()
  service.secondSolver.onOrder = () => refuse('no_quotes', 'it is not open')
  const isBrokenAt = async (now: bigint) => {
    service.world.now = now
    for (let time = 0; time < 3; time++) expect(await post({ quote_id: best?.quote_id })).toMatchObject({ body: { code: 'no_quotes' } })
    return service.logged.join('').includes('does not honour its quotes')
  }
  expect(await isBrokenAt(1_999_999_995n)).toBe(false)
  expect(await isBrokenAt(1_999_999_994n)).toBe(true)
})

test('a solver that pays less than it quoted, within the slippage of the user, breaks its quote', async () => {
  const quoted = await quotes()
  const best = quoted[0]?.quote_id
  service.secondSolver.onOrder = pays('second', '990000')
  for (let time = 0; time < 3; time++) await orderOf(post({ quote_id: best, slippage: 100 }))
  expect(service.logged.join('')).toContain('does not honour its quotes')
  // The user asks for less than the quote and accepts that.
  service.forget()
  service.logged.length = 0
  for (let time = 0; time < 3; time++) await orderOf(post({ quote_id: best, accept_worse: true }))
  expect(service.logged.join('')).not.toContain('does not honour its quotes')
})

test('a solver is not blamed for less than its quote because of this customer, or because an order without quote_id asks for less', async () => {
  const [best] = await quotes()
  const short = pays('second', '990000')
  service.secondSolver.onOrder = (request) => {
    const { status, body } = short(request)
    return { status, body: { ...body, below_quote: 'another order was made with this quote' } }
  }
  for (let time = 0; time < 3; time++) await orderOf(post({ quote_id: best?.quote_id, slippage: 100 }))
  service.secondSolver.onOrder = short
  for (let time = 0; time < 3; time++) expect(await orderOf(post({}))).toMatchObject({ solverId: 'second' })
  expect(service.logged.join('')).not.toContain('does not honour its quotes')
})

test('users who were given the same quote do not conflict: the second gets the price now within its slippage, or is told both numbers', async () => {
  const [first, second] = [(await quotes())[0], (await quotes())[0]]
  expect(second).toEqual(first)
  service.secondSolver.onOrder = pays('second', '991000')
  await orderOf(post({ quote_id: first?.quote_id }))
  const why = 'another order was made with this quote: 991000 was quoted, the price is now 990500'
  service.secondSolver.onOrder = () => ({ status: 409, body: { code: 'conflict', message: why, price_now: '990500' } })
  for (let time = 0; time < 4; time++)
    expect(await post({ quote_id: first?.quote_id })).toMatchObject({ status: 400, body: { code: 'price_moved', error: why } })
  const short = pays('second', '990500')
  service.secondSolver.onOrder = (request) => {
    const { status, body } = short(request)
    return { status, body: { ...body, below_quote: why } }
  }
  for (let time = 0; time < 16; time++) {
    const taken = await orderOf(post({ quote_id: first?.quote_id, slippage: 100 }))
    expect(taken.destination.terms.amount).toBe(990_500n)
    const users = { source: { address: taken.source.userAddress }, destination: { address: taken.destination.userAddress } }
    service.pool.recordFunded(offerKey({ source: wbtc, destination: btc }, users, 1_000_000n), 'second')
  }
  expect(service.logged.join('')).not.toMatch(/does not honour its quotes|refuses most orders/)
})

test('the fee of the payout is at most what the quote said, whatever it is when the order is made', async () => {
  const fake = service.chains.get('bitcoin_regtest')
  if (fake === undefined) throw new Error('there is no such chain')
  const quotedFee = fake.fee
  const [quoted] = await quotes()
  fake.fee += 50n
  const bound = await orderOf(post({ quote_id: quoted?.quote_id }))
  expect(bound.destination.maxFee).toBe(quotedFee)
  expect((await orderOf(post({}))).destination.maxFee).toBe(quotedFee + 50n)
  expect(bound.source.maxFee).toBe(null)
  const { body } = await service.call('GET', `/v2/orders/${bound.id}`)
  expect(body.result).toMatchObject({ destination_swap: { network_fee: `${quotedFee}` } })
})

test('no fee is promised for a payout that the client sends with its own key', async () => {
  const { source, destination } = orderBody(wbtc, btc)
  const order = await orderOf(post({ source, destination: { ...destination, owner: 'ab'.repeat(32) }, secret_hash: 'cd'.repeat(32) }))
  expect(order.destination).toMatchObject({ clientKey: true, maxFee: null })
})
