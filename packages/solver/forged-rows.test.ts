/** Forges rows of the tables that only solvers have: a payment at a loss is not made, nor one without a deposit. */

import { sightingsOf } from '@tandem/party/store/store.fixture.ts'
import type { Order } from '@tandem/protocol/order.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { refused, useRefundFixture } from './instant-refund/refunds.fixture.ts'
import { createOwnTermsCheck } from './own-terms.ts'
import { createPriceCheck } from './pricing/price-check.ts'
import { createWorthCheck } from './pricing/worth-check.ts'
import { quote } from './quotes.ts'
import { btc, caller, orderRequest, user, userKey, wbtc } from './solver.fixture.ts'

const fixture = useRefundFixture()
const { agree, fund, watch, initiate, ask, nothingSigned } = fixture
const run = (statement: ReturnType<typeof sql>) => statement.execute(fixture.store.db)

beforeEach(() => {
  const { context, payChecks } = fixture.solver
  payChecks.push(createOwnTermsCheck(context), createWorthCheck(context), createPriceCheck(context), context.inventory.payCheck)
})

const request = (quoteId?: string, amount = '980000') =>
  orderRequest({
    ...(quoteId !== undefined && { quote_id: quoteId }),
    source: { asset: wbtc, amount: '1000000', initiator: user },
    destination: { asset: btc, amount, redeemer: userKey },
  })

/** Each change is one that an attacker with the password of the database would like. */
const changes: readonly (readonly [table: string, change: (order: Order) => Promise<unknown>])[] = [
  ['none', async () => undefined],
  [
    'quotes',
    ({ source, destination }) =>
      run(sql`insert into quotes (id, source_asset, destination_asset, source_amount, destination_amount, extra_fee_bips, expires_at)
        values (${`forged ${source.swapId}`}, ${source.terms.asset}, ${destination.terms.asset}, 1, 100000000, 0, 4000000000)`),
  ],
  ['order_risks, deleted', () => run(sql`delete from order_risks`)],
  [
    'order_risks, edited',
    () => run(sql`update order_risks set usd_micros = 0, reserved = true, admitted = true, outcome = 'completed', closed = true`),
  ],
  [
    'price_records',
    () =>
      run(
        sql`insert into price_records select market, now(), 1, null, '[]' from unnest(array['BTC', 'WBTC']) as market on conflict do nothing`,
      ),
  ],
  ['inventory_marks, deleted', () => run(sql`delete from inventory_marks`)],
  ['inventory_marks', ({ id }) => run(sql`insert into inventory_marks (order_id) values (${id})`)],
  [
    'reservations',
    ({ id }) =>
      run(sql`insert into reservations (order_id, asset, amount) values (${id}, ${btc}, 100000000)
        on conflict (order_id) do update set amount = excluded.amount`),
  ],
  ['reservations, deleted', () => run(sql`delete from reservations`)],
  ['the prices of the order', () => run(sql`update swaps set asset_price = case leg when 'source' then 1 else 1000000000000 end`)],
  ['the time for which the price holds', () => run(sql`update orders set price_expires_at = 4000000000`)],
]

describe.each(changes)('with forged rows: %s', (_, change) => {
  test('a payment that would be a loss is not made', async () => {
    const order = await agree(request())
    await fund(order)
    fixture.solver.world.bitcoinDollars = 50_000n
    await change(order)
    expect(await initiate(order)).toMatchObject({ kind: 'failed', error: expect.stringMatching(/price has moved|millionths of a dollar/) })
    expect(fixture.solver.bitcoin.broadcast).toEqual([])
  })

  test('nothing is paid for a deposit that is only a row', async () => {
    const order = await agree(request())
    await watch()
    const { deposit, tx } = sightingsOf(order.source.swapId).initiated(1n)
    await run(sql`insert into events (chain, tx, index, swap_id, kind, deposit, amount, block_height, block_hash, block_time)
      select chain, ${tx}, '0', ${order.source.swapId}, 'initiated', ${deposit}, ${order.source.terms.amount}, height, hash, time
      from blocks where chain = ${order.source.chain} order by height desc limit 1`)
    await change(order)
    expect(await initiate(order)).toMatchObject({ kind: 'failed', error: expect.stringContaining('differ') })
    expect(fixture.solver.bitcoin.broadcast).toEqual([])
  })
})

test('a quote whose row was edited buys no more than the prices of this moment allow', async () => {
  const asked = { from: wbtc, to: btc, from_amount: '1000000', extra_fee_bips: 0, indicative: false }
  const { quote_id: id } = await quote(fixture.solver.context, asked, caller)
  await run(sql`update quotes set destination_amount = destination_amount * 2`)
  await expect(agree(request(id, '1960000'))).rejects.toThrow(refused('price_moved', /the price is now 980000/))
  expect(await fixture.store.db.selectFrom('orders').select('id').execute()).toEqual([])
})

test('no instant refund is signed because a row has the refund of the payment as final', async () => {
  const order = await agree()
  await fund(order)
  expect(await initiate(order)).toMatchObject({ kind: 'sent' })
  const { ethereum } = fixture.solver
  const { initiated, refunded } = sightingsOf(order.destination.swapId)
  ethereum.mine(initiated(order.destination.terms.amount))
  const { height } = ethereum.mine(refunded())
  ethereum.finalHeight = async () => height - 1n
  ethereum.grow(ethereum.chain.finalityBlocks + 5)
  await watch()
  await run(sql`update blocks set final_height = height`)
  await expect(ask(order)).rejects.toThrow(refused('conflict'))
  await nothingSigned(order)
  ethereum.finalHeight = async () => height + 1n
  await ask(order)
})
