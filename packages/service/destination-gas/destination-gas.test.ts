/** Tests orders whose payout also gives some of the chain's coin: what it costs, who may take them, what is refused, and what is recorded. */
import { noteOfferedGas } from '@tandem/party/store/actions/offered-gas.ts'
import { readCursor, rewind } from '@tandem/party/store/chain/events.ts'
import { assertSealed } from '@tandem/party/store/orders/swap-seals.ts'
import { storedOrder } from '@tandem/party/store/store.fixture.ts'
import { actionKey } from '@tandem/protocol/order.ts'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import type { Quote } from '@tandem/protocol/wire/quote.ts'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { alice, aliceScript, btc, eth, eventsOf, NOW, orderBody, sharedService, usdc, wbtc } from '../testing/service.fixture.ts'
import { assertUsableGasSettings } from './destination-gas.ts'

const CHAIN = 'ethereum_localnet'
/** One dollar, at 3000 dollars a coin, rounded up. */
const GAS = 333_333_333_333_334n
const DOLLAR = 1_000_000n

const destinationGas = { usdMicros: new Map([[CHAIN, DOLLAR]]), solvers: ['second'] }
const service = sharedService({ environment: 'local', destinationGas })
const world = { held: 0n }

beforeEach(() => {
  world.held = 0n
  Object.assign(service.chains.get(CHAIN) ?? {}, { payoutGas: { decimals: 18, minAmount: 5n }, balance: async () => world.held })
})
afterEach(() => service.reset())

/** Answers are cached, so each test asks about another owner. */
let owners = 0
function owner(): string {
  owners += 1
  return `0x${owners.toString(16).padStart(40, '0')}`
}
const body = (more: object = {}) => {
  const { source, destination } = orderBody(btc, wbtc)
  return { source, destination: { ...destination, owner: owner() }, destination_gas: true, ...more }
}
const post = (asked: unknown) => service.call('POST', '/v2/orders', { body: asked })
async function make(asked: unknown) {
  const reply = await post(asked)
  expect(reply.body.error).toBeNull()
  return storedOrder(service.db, (reply.body.result as { order_id: string }).order_id)
}
const ask = (query: string) => service.call('GET', `/v2/quote?${query}`)
async function quotes(query: string): Promise<readonly Quote[]> {
  const reply = await ask(query)
  expect(reply.body.error).toBeNull()
  return reply.body.result as Quote[]
}
const forward = `from=${btc}&to=${wbtc}`

describe('a quote with gas', () => {
  test('is asked of the named solvers only, with the price of the gas as a fee, rounded up to a bip', async () => {
    const [quote, ...others] = await quotes(`${forward}&from_amount=1000000&destination_gas=true&affiliate_fee=3`)
    expect(others).toEqual([])
    // One dollar of 600 is 16.67 bips.
    expect(quote).toMatchObject({
      solver_id: 'second',
      destination_gas: { asset: eth, amount: GAS.toString(), display: '0.000333333333333334', fee: 17 },
    })
    expect(service.solver.quoted).toEqual([])
    expect(service.secondSolver.quoted).toEqual([expect.objectContaining({ extra_fee_bips: 20 })])
  })

  test('takes the price from the destination amount where that is the one that is known', async () => {
    const [quote] = await quotes(`${forward}&to_amount=2000000&destination_gas=true`)
    expect(quote?.destination_gas?.fee).toBe(9)
  })

  test('does not hide other solvers from an order without it', async () => {
    await quotes(`${forward}&from_amount=1000001&destination_gas=true`)
    const plain = await quotes(`${forward}&from_amount=1000001`)
    expect(plain.map(({ solver_id: id }) => id).toSorted()).toEqual(['first', 'second'])
    expect(plain[0]).not.toHaveProperty('destination_gas')
  })

  test('gives at least what the chain gives to a new account', async () => {
    Object.assign(service.chains.get(CHAIN) ?? {}, { payoutGas: { decimals: 18, minAmount: 2n * GAS } })
    const [quote] = await quotes(`${forward}&from_amount=1000002&destination_gas=true`)
    expect(quote?.destination_gas).toMatchObject({ amount: (2n * GAS).toString(), fee: 34 })
  })

  test.each([
    {
      name: 'where it is not offered',
      query: `from=${btc}&to=${usdc}&from_amount=1000000`,
      code: 'bad_request',
      error: /not offered on arbitrum_localnet/,
    },
    {
      name: 'for the coin itself',
      query: `from=${btc}&to=${eth}&from_amount=1000000`,
      code: 'bad_request',
      error: /eth is itself the coin that pays fees/,
    },
    {
      name: 'for a swap that is too small',
      query: `${forward}&from_amount=16000`,
      code: 'amount_out_of_range',
      error: /costs 1.00 dollars, more than 10 % of this swap/,
    },
  ])('is refused $name', async ({ query, code, error }) => {
    const reply = await ask(`${query}&destination_gas=true`)
    expect(reply).toMatchObject({ status: 400, body: { code, error: expect.stringMatching(error) } })
  })

  test('is shown where it is offered, by GET /chains', async () => {
    const chains = (await service.call('GET', '/v2/chains')).body.result as readonly { chain: string; destination_gas?: unknown }[]
    const offered = chains.filter(({ destination_gas: gas }) => gas !== undefined)
    expect(offered.map(({ chain, destination_gas: gas }) => [chain, gas])).toEqual([
      [CHAIN, { amount: GAS.toString(), display: '0.000333333333333334' }],
    ])
  })
})

describe('an order with gas', () => {
  test('is taken by a named solver, which collects its price; what is given is recorded, sealed and shown', async () => {
    const stored = await make(body())
    const { order } = stored
    expect(order).toMatchObject({ solverId: 'second', source: { gas: null }, destination: { gas: GAS } })
    expect(service.secondSolver.ordered).toEqual([expect.objectContaining({ extra_fee_bips: 17 })])
    assertSealed(service.vault, stored)
    const shown = (await service.call('GET', `/v2/orders/${order.id}`)).body.result as OrderRecord
    expect(shown.destination_swap.gas).toBe(GAS.toString())
    expect(shown.source_swap).not.toHaveProperty('gas')
    await sql`update swaps set gas = gas * 1000 where order_id = ${order.id} and leg = 'destination'`.execute(service.db)
    const forged = await storedOrder(service.db, order.id)
    expect(() => assertSealed(service.vault, forged)).toThrow(/its destination in the table swaps/)
  })

  test('shows once it is redeemed whether that redeem offers the gas: not if somebody else was first, nor if ours is without', async () => {
    const { order } = await make(body())
    const key = actionKey(order.id, 'destination', 'redeem')
    await service.db.insertInto('actions').values({ key, order_id: order.id, leg: 'destination', verb: 'redeem', wanted: true }).execute()
    const sign = async (number: number, tx: string, nonce: string, isOffered: boolean) => {
      const attempt = { action_key: key, number, chain: CHAIN, sender: 'relay', tx, raw: '0x', slots: [nonce], nonce: null, fee_rate: 1n }
      await service.db.insertInto('attempts').values(attempt).execute()
      await noteOfferedGas(service.db, key, tx, isOffered)
    }
    await sign(1, 'offers', '1', true)
    await sign(2, 'replaces it', '1', false)
    await sign(3, 'without', '2', false)
    const [source, destination] = [eventsOf(order.source), eventsOf(order.destination)]
    const shown = async () => ((await service.call('GET', `/v2/orders/${order.id}`)).body.result as OrderRecord).destination_swap.gas_given
    await service.mine('bitcoin_regtest', { height: 1_000n, time: NOW + 10n }, [source.initiated('fund')])
    await service.mine(CHAIN, { height: 1_000n, time: NOW + 20n }, [destination.initiated('0xlock')])
    expect(await shown()).toBeUndefined()
    const ancestor = await readCursor(service.db, CHAIN)
    if (ancestor === null) throw new Error('no block is on record')
    const secret = (await service.vault.get(service.db, order.id, 'secret')) ?? ''
    for (const [tx, given] of [
      ['offers', true],
      ['replaces it', true],
      ['without', false],
      ['by a stranger', false],
    ] as const) {
      await service.mine(CHAIN, { height: 1_001n, time: NOW + 30n }, [destination.redeemed(tx, secret)])
      expect([tx, await shown()]).toEqual([tx, given])
      await rewind(service.db, CHAIN, ancestor)
    }
  })

  test('gets what was quoted, at the quoted price, though the coin costs more by now', async () => {
    const [quote] = await quotes(`${forward}&from_amount=1000000&destination_gas=true`)
    Object.assign(service.chains.get(CHAIN) ?? {}, { payoutGas: { decimals: 18, minAmount: 3n * GAS } })
    const { order } = await make(body({ quote_id: quote?.quote_id }))
    expect(order.destination.gas).toBe(GAS)
    expect(service.secondSolver.ordered.at(-1)).toMatchObject({ extra_fee_bips: 17, quote_id: 'second-quote' })
  })

  test('and one without are different requests', async () => {
    const asked = body({ nonce: `once ${Math.random()}`, source: { ...orderBody(btc, wbtc).source, owner: aliceScript } })
    await make(asked)
    expect(await post({ ...asked, destination_gas: false })).toMatchObject({ status: 409, body: { code: 'conflict' } })
  })

  test.each<{ name: string; change: () => Promise<object>; error: RegExp }>([
    {
      name: 'if the recipient has as much',
      change: async () => {
        world.held = GAS
        return {}
      },
      error: /has 333333333333334 of ethereum_localnet:eth already/,
    },
    { name: 'at another solver', change: async () => ({ solver_id: 'first' }), error: /solver first takes no orders with it/ },
    {
      name: 'with a quote without it',
      change: async () => ({
        quote_id: (await quotes(`${forward}&from_amount=1000000`)).find(({ solver_id: id }) => id === 'second')?.quote_id,
      }),
      error: /the quote has no destination_gas/,
    },
    {
      name: 'without it, with a quote that has it',
      change: async () => ({
        quote_id: (await quotes(`${forward}&from_amount=1000000&destination_gas=true`))[0]?.quote_id,
        destination_gas: false,
      }),
      error: /ask for a quote without it/,
    },
  ])('is refused $name', async ({ change, error }) => {
    const reply = await post(body(await change()))
    expect(reply).toMatchObject({ status: 400, body: { code: 'bad_request', error: expect.stringMatching(error) } })
  })

  test('goes to a recipient that has a little less', async () => {
    world.held = GAS - 1n
    expect((await make(body())).order.destination.gas).toBe(GAS)
  })

  test('is refused where the recipient redeems with a key of their own', async () => {
    const { source } = orderBody(wbtc, btc)
    const asked = {
      source: { ...source, owner: alice },
      destination: { asset: btc, owner: 'ab'.repeat(32), amount: '980000' },
      secret_hash: 'cd'.repeat(32),
    }
    const reply = await post({ ...asked, destination_gas: true })
    expect(reply.body.error).toMatch(/destination_gas: destination.owner is a key of your own/)
  })

  test('is not given unless it is asked for', async () => {
    expect((await make({ ...body(), destination_gas: undefined })).order.destination.gas).toBeNull()
    expect((await make({ ...body(), destination_gas: null })).order.destination.gas).toBeNull()
    expect((await make(orderBody(wbtc, btc))).order.destination.gas).toBeNull()
  })
})

test.each([
  { name: 'a chain that is not served', usd: ['nowhere'], solvers: ['second'], error: 'nowhere is not in chains: expected one of' },
  { name: 'a chain that cannot', usd: ['bitcoin_regtest'], solvers: ['second'], error: 'a payout on bitcoin_regtest cannot give coin' },
  { name: 'an unknown solver', usd: [CHAIN], solvers: ['second', 'third'], error: 'third is not in solvers' },
])('settings with $name are refused at the start', ({ usd, solvers, error }) => {
  const settings = { destinationGas: { usdMicros: new Map(usd.map((chain) => [chain, DOLLAR])), solvers } }
  const known = [service.solver.client, service.secondSolver.client]
  const check = (given: object) => assertUsableGasSettings({ settings: given as never, clients: service.chains, solvers: known })
  expect(() => check(settings)).toThrow(error)
  check({ destinationGas })
})
