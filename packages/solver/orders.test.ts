/** Tests which orders a solver accepts, and at which price. */
import { findOrder } from '@tandem/party/store/orders/orders.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { statementsOf } from '@tandem/party/store/statements.fixture.ts'
import { NOW } from '@tandem/party/store/store.fixture.ts'
import { listingOf } from '@tandem/protocol/registry/listing-digest.ts'
import { hashSecret } from '@tandem/protocol/secret.ts'
import type { SolverOrderRequest } from '@tandem/protocol/wire/solver.ts'
import { describe, expect, test } from 'vitest'
import { acceptOrder } from './orders.ts'
import { quote } from './quotes.ts'
import { promisedTo } from './soft-reservations.ts'
import { btc, caller, freshSolver, orderRequest, unpriced, user, userKey, wbtc } from './solver.fixture.ts'

const store = sharedStore()
const solver = freshSolver(store)

const accept = (request: SolverOrderRequest) => acceptOrder(solver.context, request, caller)
const quoted = (app?: string) =>
  quote(
    solver.context,
    { from: btc, to: wbtc, from_amount: '1000000', extra_fee_bips: 0, indicative: false, ...(app !== undefined && { app }) },
    caller,
  )
const orders = () => store.db.selectFrom('orders').select('id').execute()
const source = (changes: Partial<SolverOrderRequest['source']>) => ({ ...orderRequest().source, ...changes })
const destination = (changes: Partial<SolverOrderRequest['destination']>) => ({ ...orderRequest().destination, ...changes })

test("completes an order with the solver's identities and the timelocks, and stores it", async () => {
  const request = orderRequest()
  const { bitcoin, ethereum, context } = solver
  expect(await accept(request)).toEqual({
    solver_id: 'the solver',
    source: { redeemer: bitcoin.identityOf(context.keys.of(bitcoin)), timelock: '200' },
    destination: { initiator: ethereum.identityOf(context.keys.of(ethereum)), timelock: '180', amount: '980000' },
    price_expires_at: Number(NOW) + 600,
  })
  const stored = await findOrder(store.db, request.order_id)
  expect(stored).toMatchObject({
    app: null,
    order: {
      createdAt: NOW,
      deadline: NOW + 3600n,
      source: {
        chain: 'bitcoin_regtest',
        terms: { asset: btc, initiator: userKey, amount: 1_000_000n, secretHash: request.secret_hash, timelock: 200n },
        requiredConfirmations: 1,
      },
      destination: {
        chain: 'ethereum_localnet',
        terms: { asset: wbtc, redeemer: user, amount: 980_000n, secretHash: request.secret_hash, timelock: 180n },
      },
    },
  })
  const { order } = stored ?? {}
  expect(order?.source.swapId).toBe(order && bitcoin.swapId(order.source.terms))
  expect(order?.destination.swapId).toBe(order && ethereum.swapId(order.destination.terms))
})

test('refuses an asset that the service lists otherwise, on either side, in quotes and orders, and stores nothing', async () => {
  const { registry } = solver.context
  const same = { source: listingOf(registry, btc), destination: listingOf(registry, wbtc) }
  const other = 'ab'.repeat(16)
  const refused = expect.objectContaining({
    code: 'unsupported_pair',
    message: expect.stringContaining('compare registry and deployments'),
  })
  const ordering = (listings: { source: string; destination: string }) =>
    accept(orderRequest({ source: source({ listing: listings.source }), destination: destination({ listing: listings.destination }) }))
  const asking = (listings: { source: string; destination: string }) => {
    const listed = { from_listing: listings.source, to_listing: listings.destination }
    return quote(solver.context, { from: btc, to: wbtc, from_amount: '1000000', extra_fee_bips: 0, indicative: true, ...listed }, caller)
  }
  for (const wrong of [
    { ...same, source: other },
    { ...same, destination: other },
  ]) {
    await expect(ordering(wrong)).rejects.toEqual(refused)
    await expect(asking(wrong)).rejects.toEqual(refused)
  }
  expect(await orders()).toEqual([])
  await expect(asking(same)).resolves.toMatchObject({ source_amount: '1000000' })
  await expect(ordering(same)).resolves.toMatchObject({ solver_id: 'the solver' })
})

test.each([
  [600n, 300],
  [60n, 60],
])('a price that holds for %i seconds holds for %i if the deposit is one transaction of the user', async (priceHoldSeconds, held) => {
  const context = { ...solver.context, pricing: { ...solver.context.pricing, priceHoldSeconds } }
  const reverse = {
    source: { asset: wbtc, amount: '1000000', initiator: user },
    destination: { asset: btc, amount: '980000', redeemer: userKey },
  }
  expect((await acceptOrder(context, orderRequest(reverse), caller)).price_expires_at).toBe(Number(NOW) + held)
})

test('costs one statement besides the inventory if the current price covers it', async () => {
  await accept(orderRequest())
  const statements = await statementsOf(() => accept(orderRequest()))
  expect(statements.map((text) => text.trim().slice(0, 40))).toEqual([
    expect.stringContaining('select'),
    expect.stringContaining('with given as materialized'),
  ])
})

describe('the price', () => {
  test("of an open quote is honoured within the solver's own limit, whatever the user's slippage", async () => {
    await quoted()
    solver.world.bitcoinDollars = 61_200n
    const request = orderRequest()
    expect(await accept(request)).toMatchObject({ destination: { amount: '980000' } })
    // The quote's prices give 980,000.
    const { source: paid, destination: got } = (await findOrder(store.db, request.order_id))?.assetPrices ?? { source: 0n, destination: 0n }
    expect((paid * 10_000n) / got).toBe(10_000n)
    solver.world.bitcoinDollars = 61_300n
    await expect(accept(orderRequest())).rejects.toThrow(expect.objectContaining({ code: 'price_moved' }))
    expect(await accept(orderRequest({ slippage_bips: 500 }))).toMatchObject({ destination: { amount: '959216' } })
  })

  test('of a quote is honoured only up to the quoted amount, and only until it expires', async () => {
    await quoted()
    solver.world.bitcoinDollars = 60_600n
    await expect(accept(orderRequest({ destination: destination({ amount: '980001' }) }))).rejects.toThrow('price')
    solver.world.now += 61n
    await expect(accept(orderRequest())).rejects.toThrow(expect.objectContaining({ code: 'price_moved' }))
  })

  test('of a quote is for the app that asked: no other one has it without its own premium', async () => {
    await quoted('regular')
    solver.world.bitcoinDollars = 60_600n
    await expect(accept(orderRequest({ app: 'abuser' }))).rejects.toThrow(expect.objectContaining({ code: 'price_moved' }))
    expect(await accept(orderRequest({ app: 'regular' }))).toMatchObject({ destination: { amount: '980000' } })
  })

  test('of a quote is for one order: the next one needs a quote of its own, or gets the price now', async () => {
    const { quote_id } = await quoted()
    solver.world.bitcoinDollars = 60_600n
    const first = orderRequest({ quote_id })
    expect([await accept(first), await accept(first)]).toMatchObject([{ destination: { amount: '980000' } }, {}])
    const taken = expect.objectContaining({
      code: 'price_moved',
      priceNow: '970297',
      message: expect.stringMatching(/another order was made with this quote: 980000 of .* was quoted, the price is now 970297/),
    })
    await expect(accept(orderRequest())).rejects.toThrow(taken)
    await expect(accept(orderRequest({ quote_id }))).rejects.toThrow(taken)
    // The service must not count this as a quote that the solver broke: anyone can repeat it.
    expect(await accept(orderRequest({ slippage_bips: 200 }))).toMatchObject({
      destination: { amount: '970297' },
      below_quote: expect.stringContaining('another order was made with this quote'),
    })
    // This price covers the amount, so no quote is needed.
    solver.world.bitcoinDollars = 60_000n
    expect(await accept(orderRequest({ quote_id }))).toMatchObject({ destination: { amount: '980000' } })
  })

  test('of a quote is for the order that names it: strangers of the same app, who name none, do not take it away', async () => {
    const { quote_id } = await quoted()
    solver.world.bitcoinDollars = 60_600n
    expect(await paid({})).toBe('980000')
    expect(await paid({ quote_id })).toBe('980000')
    await expect(accept(orderRequest({ quote_id }))).rejects.toThrow('another order was made with this quote')
    await expect(accept(orderRequest())).rejects.toThrow('another order was made with this quote')
  })

  const paid = async (changes: Partial<SolverOrderRequest>) => (await accept(orderRequest(changes))).destination.amount
  const less = destination({ amount: '970000' })

  test('without a quote is the current price, also if less is asked for, unless the user accepts worse', async () => {
    expect(await paid({ destination: less })).toBe('980000')
    expect(await paid({ destination: less, accept_worse: true })).toBe('970000')
  })

  test.each([
    ['risen', 59_400n],
    ['fallen within the limit', 61_200n],
  ])('of a quote is paid if less is asked for, after the price has %s, unless the user accepts worse', async (_, dollars) => {
    for (let quotes = 0; quotes < 2; quotes += 1) await quoted()
    solver.world.bitcoinDollars = dollars
    expect(await paid({ destination: less })).toBe('980000')
    expect(await paid({ destination: less, accept_worse: true })).toBe('970000')
  })

  test('now is paid if that of the quote is beyond the limit, and still more than what is asked for', async () => {
    await quoted()
    solver.world.bitcoinDollars = 61_300n
    expect(await paid({ destination: destination({ amount: '950000' }) })).toBe('959216')
  })

  test('of a quote for less does not limit an order that sends more', async () => {
    await quoted()
    solver.hold(wbtc, 10_000_000n)
    const twice = { source: source({ amount: '2000000' }), destination: destination({ amount: '970000' }) }
    expect(await paid(twice)).toBe('1970000')
  })

  test('of the quote that is named counts, and a false name is refused as a quote that is not there', async () => {
    const { quote_id: first } = await quoted()
    solver.world.bitcoinDollars = 59_400n
    const { quote_id: second } = await quoted()
    expect(await paid({ quote_id: first })).toBe('980000')
    expect(await paid({ quote_id: second })).toBe('989898')
    const refused = expect.objectContaining({ code: 'no_quotes' })
    for (const changes of [
      { quote_id: 'another' },
      { quote_id: first, app: 'another' },
      { quote_id: first, source: source({ amount: '1000001' }) },
      { quote_id: first, destination: destination({ amount: '980001' }) },
    ])
      await expect(accept(orderRequest(changes))).rejects.toThrow(refused)
    solver.world.now += 61n
    await expect(accept(orderRequest({ quote_id: first }))).rejects.toThrow(refused)
  })

  test('within the slippage is the current price, and one unit below the slippage is refused', async () => {
    const asked = destination({ amount: '989898' })
    expect(await accept(orderRequest({ slippage_bips: 100, destination: asked }))).toMatchObject({ destination: { amount: '980000' } })
    await expect(accept(orderRequest({ slippage_bips: 99, destination: asked }))).rejects.toThrow(
      expect.objectContaining({
        code: 'price_moved',
        message: `destination.amount 989898 was asked for, the price is now 980000 of ${wbtc}: take a new quote`,
      }),
    )
  })

  test('includes the fees of the service and affiliates', async () => {
    await expect(accept(orderRequest({ extra_fee_bips: 1 }))).rejects.toThrow('979900')
  })

  test('is lower if the client keeps the secret, and a quote for others does not cover it', async () => {
    const { context } = solver
    // The rate moves only in the time in which a client may keep its secret: 2.5 %, of which 0.4 are charged.
    const prices = { ...context.pricing.prices, volatilityBips: (_from: string, _to: string, seconds: number) => (seconds > 700 ? 250 : 0) }
    const moving = { ...context, pricing: { ...context.pricing, prices } }
    const ask = (changes: Partial<SolverOrderRequest>) => acceptOrder(moving, orderRequest({ client_secret: true, ...changes }), caller)
    const { quote_id } = await quoted()
    const again = 'take a new quote, with client_secret=true'
    await expect(ask({})).rejects.toMatchObject({ code: 'price_moved', message: expect.stringContaining(again) })
    await expect(ask({ quote_id })).rejects.toMatchObject({
      code: 'no_quotes',
      message: expect.stringContaining('with client_secret=true'),
    })
    expect(await ask({ destination: destination({ amount: '970000' }) })).toMatchObject({ destination: { amount: '970000' } })
    expect(await ask({ client_secret: false })).toMatchObject({ destination: { amount: '980000' } })
  })

  test('is refused for an asset without a price', async () => {
    await expect(accept(orderRequest({ destination: destination({ asset: unpriced }) }))).rejects.toThrow('no price for')
  })
})

test('an amount that others have ordered without a deposit is refused as a temporary conflict, not as a quote that the solver breaks', async () => {
  solver.hold(wbtc, 1_500_000n)
  await accept(orderRequest({ app: 'one', owner: 'alice' }))
  // The quotes of an app may use what its own orders hold.
  await quoted('one')
  await expect(accept(orderRequest({ app: 'one', owner: 'bob' }))).rejects.toThrow(
    expect.objectContaining({
      code: 'conflict',
      message: `the solver cannot pay 980000 of ${wbtc} now: 750000 available, 750000 held for other orders`,
    }),
  )
})

describe('refuses and stores nothing', () => {
  const solverAccount = () => solver.ethereum.identityOf(solver.context.keys.of(solver.ethereum))
  const solverKey = () => solver.bitcoin.identityOf(solver.context.keys.of(solver.bitcoin))

  test.each<{ name: string; request: () => SolverOrderRequest; code: string; message: string }>([
    {
      name: 'more than the solver holds',
      request() {
        solver.hold(wbtc, 979_999n)
        return orderRequest()
      },
      code: 'insufficient_liquidity',
      message: 'only 979999',
    },
    {
      name: 'a clock that is ahead',
      request: () => orderRequest({ created_at: Number(NOW) + 121 }),
      code: 'bad_request',
      message: '121 seconds off',
    },
    {
      name: 'a clock that is behind',
      request: () => orderRequest({ created_at: Number(NOW) - 121 }),
      code: 'bad_request',
      message: '121 seconds off',
    },
    {
      name: 'a deadline beyond the funding window',
      request: () => orderRequest({ deadline: Number(NOW) + 6 * 3600 + 1 }),
      code: 'bad_request',
      message: 'later than created_at + 21600',
    },
    {
      name: 'the solver as the user of the source',
      request: () => orderRequest({ source: source({ initiator: solverKey() }) }),
      code: 'invalid_address',
      message: 'different parties',
    },
    {
      name: 'the solver as the user of the destination',
      request: () => orderRequest({ destination: destination({ redeemer: solverAccount() }) }),
      code: 'invalid_address',
      message: 'different parties',
    },
    {
      name: 'the solver in upper case',
      request: () => orderRequest({ destination: destination({ redeemer: solverAccount().toUpperCase().replace('X', 'x') }) }),
      code: 'invalid_address',
      message: 'must be written as',
    },
    {
      name: 'a redeemer that is not an account',
      request: () => orderRequest({ destination: destination({ redeemer: 'nobody' }) }),
      code: 'invalid_address',
      message: 'not an account',
    },
    {
      name: 'too small an amount',
      request: () => orderRequest({ source: source({ amount: '9999' }), destination: destination({ amount: '1' }), slippage_bips: 500 }),
      code: 'price_moved',
      message: 'is now 0',
    },
    {
      name: 'too large an amount',
      request() {
        solver.hold(wbtc, 10n ** 12n)
        return orderRequest({ source: source({ amount: '100000001' }), destination: destination({ amount: '90000000' }) })
      },
      code: 'amount_out_of_range',
      message: '100000001 of bitcoin_regtest:btc',
    },
    {
      name: 'a secret hash with a guessable secret',
      request: () => orderRequest({ secret_hash: hashSecret('00'.repeat(32)) }),
      code: 'bad_request',
      message: 'secret_hash',
    },
    {
      name: 'an unknown asset',
      request: () => orderRequest({ source: source({ asset: 'moon:cheese' }) }),
      code: 'unsupported_pair',
      message: 'moon:cheese',
    },
  ])('$name', async ({ request, code, message }) => {
    await expect(accept(request())).rejects.toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }))
    expect(await orders()).toEqual([])
  })

  test.each([-120, 120])('but accepts a clock that is %s seconds off', async (seconds) => {
    await accept(orderRequest({ created_at: Number(NOW) + seconds }))
  })

  test('but accepts a deadline in the last second of the funding window', async () => {
    await accept(orderRequest({ deadline: Number(NOW) + 6 * 3600 }))
  })
})

describe('unfunded orders of the same owner', () => {
  const price = (amount: bigint) => destination({ amount: amount.toString() })
  const hold = async (owner: string | undefined, changes: Partial<SolverOrderRequest> = {}) => {
    const request = orderRequest({ app: 'one', ...(owner !== undefined && { owner }), ...changes })
    return { id: request.order_id, ...(await accept(request)) }
  }

  test('leave no price that holds to one that they would not leave enough for, and refuse nothing', async () => {
    solver.hold(wbtc, 2_000_000n)
    const isHeld = async (owner?: string) => (await hold(owner)).price_expires_at > Number(NOW)
    expect([await isHeld('alice'), await isHeld('alice'), await isHeld('alice'), await isHeld('alice')]).toEqual([true, true, false, false])
    // A stranger may have named this owner. Other owners are not affected.
    expect([await isHeld('bob'), await isHeld(), await isHeld(), await isHeld()]).toEqual([true, true, true, true])
    solver.world.now += 601n
    const later = { created_at: Number(solver.world.now), deadline: Number(solver.world.now) + 3600 }
    expect((await hold('alice', later)).price_expires_at).toBe(Number(solver.world.now) + 600)
  })

  test('count no longer once they are funded: then they are reserved', async () => {
    solver.hold(wbtc, 2_000_000n)
    const { id } = await hold('alice')
    const held = () => promisedTo(solver.context.soft, wbtc, { app: 'a service/one', owner: 'alice' })
    expect(held()).toBe(980_000n)
    await solver.context.inventory.reserve({ orderId: id, asset: wbtc, amount: 980_000n })
    expect(held()).toBe(0n)
  })

  test('cost what one order of their sum would: a quote does not cover the surcharge', async () => {
    const { context } = solver
    // The last tenth of the inventory costs 5 % more, from half of the inventory on a quarter of that.
    Object.assign(context, { pricing: { ...context.pricing, inventorySkewBips: 500 } })
    solver.hold(wbtc, 2_000_000n)
    for (let quotes = 0; quotes < 4; quotes += 1) await quoted('one')
    await hold('alice', { destination: price(980_000n) })
    // She may try again. Another owner pays no surcharge for her orders.
    await hold('alice', { destination: price(980_000n) })
    await hold('bob', { destination: price(980_000n) })
    await expect(hold('alice', { destination: price(980_000n) })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('unfunded orders of this owner hold 1960000'),
    })
    const { destination: cheaper, below_quote } = await hold('alice', { destination: price(980_000n), slippage_bips: 500 })
    expect(below_quote).toContain('unfunded orders of this owner hold 1960000')
    expect(Number(cheaper.amount)).toBeLessThan(965_000)
    expect(Number(cheaper.amount)).toBeGreaterThan(940_000)
  })
})

describe('the same order id again', () => {
  test('with the same terms gets the same answer, whatever the price and the time are by then', async () => {
    const request = orderRequest()
    const first = await accept(request)
    solver.world.bitcoinDollars = 120_000n
    solver.world.now += 86_400n
    solver.hold(wbtc, 0n)
    expect(await accept(request)).toEqual(first)
    expect(await orders()).toHaveLength(1)
  })

  test('sent concurrently makes one order', async () => {
    const request = orderRequest()
    const answers = await Promise.all(Array.from({ length: 4 }, () => accept(request)))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(await orders()).toHaveLength(1)
  })

  test.each<{ name: string; changes: () => Partial<SolverOrderRequest> }>([
    { name: 'secret hash', changes: () => ({ secret_hash: hashSecret('77'.repeat(32)) }) },
    { name: 'source asset', changes: () => ({ source: source({ asset: wbtc }) }) },
    { name: 'source amount', changes: () => ({ source: source({ amount: '1000001' }) }) },
    { name: 'source initiator', changes: () => ({ source: source({ initiator: 'b2'.repeat(32) }) }) },
    { name: 'destination asset', changes: () => ({ destination: destination({ asset: btc }) }) },
    { name: 'destination redeemer', changes: () => ({ destination: destination({ redeemer: `0x${'b1'.repeat(20)}` }) }) },
  ])('with another $name is a conflict', async ({ changes }) => {
    const request = orderRequest()
    await accept(request)
    await expect(accept({ ...request, ...changes() })).rejects.toThrow(expect.objectContaining({ code: 'conflict' }))
    expect(await orders()).toHaveLength(1)
  })
})

test('refuses a secret hash that was used before', async () => {
  const first = orderRequest()
  await accept(first)
  await expect(accept(orderRequest({ secret_hash: first.secret_hash }))).rejects.toThrow(
    expect.objectContaining({ code: 'conflict', message: expect.stringContaining('secret_hash was used before') }),
  )
  expect(await orders()).toHaveLength(1)
})
