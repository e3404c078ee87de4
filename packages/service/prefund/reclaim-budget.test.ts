/** These tests show for which returns of money from deposit addresses the service pays the network fee. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { localRegistry } from '@tandem/families/local-registry.fixture.ts'
import { createMemoryChain } from '@tandem/party/engine/chain.fixture.ts'
import { createStaticFeed } from '@tandem/party/prices/static-feed.ts'
import { leaseAction, syncWanted } from '@tandem/party/store/actions/actions.ts'
import { createApp } from '@tandem/party/store/apps/apps.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { NOW, putOrder, recordAttempt } from '@tandem/party/store/store.fixture.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Order } from '@tandem/protocol/order.ts'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { payForReclaim, recordReclaimCost } from './reclaim-budget.ts'

const CHAIN = 'ethereum_localnet'
const asset = `${CHAIN}:usdc` as AssetId
const DOLLARS = 100_000_000n
const store = sharedStore()
beforeAll(async () => {
  await createApp(store.db, 'shop')
})
beforeEach(async () => {
  for (const table of ['attempts', 'actions', 'paid_refunds', 'swaps', 'orders', 'order_list'] as const)
    await store.db.deleteFrom(table).execute()
})

/** A refund costs 0.0002 ETH at $10,000. A return takes half as much again, which is $3. */
const client: ChainClient = {
  ...createMemoryChain(CHAIN, NOW),
  legCost: async () => ({ decimals: 18, initiate: 0n, redeem: 0n, refund: 2n * 10n ** 14n }),
}
const context = (appUsdMicros: bigint, prices: Readonly<Record<string, bigint>>) =>
  ({
    db: store.db,
    clients: new Map([[CHAIN, client]]),
    prices: createStaticFeed(prices),
    registry: localRegistry(),
    settings: { refundBudget: { ownerUsdMicros: appUsdMicros, appUsdMicros } },
  }) as unknown as Parameters<typeof payForReclaim>[0]
const known = { [asset]: DOLLARS, [`${CHAIN}:eth`]: 10_000n * DOLLARS }
async function put(): Promise<Order> {
  const source = { chain: CHAIN, depositAddress: '0x12' }
  const { order } = await putOrder(store.db, { app: 'shop', worth: { volumeUsdMicros: 1n, feeUsdMicros: 0n }, source })
  return { ...order, source: { ...order.source, terms: { ...order.source.terms, asset } } }
}
const dollars = (count: bigint) => count * 1_000_000n

test('those that are worth their fee, once for an order', async () => {
  const order = await put()
  await payForReclaim(context(dollars(3n), known), order, dollars(3n))
  await payForReclaim(context(dollars(3n), known), order, dollars(3n))
  expect(await store.db.selectFrom('paid_refunds').select(['order_id', 'usd_micros']).execute()).toEqual([
    { order_id: order.id, usd_micros: dollars(3n) },
  ])
})

test('none that is worth less, and the owner is told how to return it', async () => {
  const order = await put()
  const refused = { kind: 'uneconomic', refusal: expect.stringMatching(/costs more than it is worth: the rescue page and the SDK/) }
  await expect(payForReclaim(context(dollars(100n), known), order, dollars(3n) - 1n)).rejects.toMatchObject(refused)
  expect(await store.db.selectFrom('paid_refunds').selectAll().execute()).toEqual([])
})

test('none beyond the budget of the app: anyone can send a little to many addresses', async () => {
  await payForReclaim(context(dollars(5n), known), await put(), dollars(50n))
  const refused = { kind: 'would-fail', refusal: expect.stringMatching(/as many network fees of refunds today/) }
  await expect(payForReclaim(context(dollars(5n), known), await put(), dollars(50n))).rejects.toMatchObject(refused)
})

test('those whose worth is not known', async () => {
  await payForReclaim(context(dollars(5n), {}), await put(), 1n)
})

describe('after one was sent', () => {
  const dearer = { ...known, [`${CHAIN}:eth`]: 20_000n * DOLLARS }
  const charged = async () => (await store.db.selectFrom('paid_refunds').select('usd_micros').executeTakeFirst())?.usd_micros ?? null

  async function sent(): Promise<{ readonly order: Order; send(tx: string, slot: string): Promise<boolean> }> {
    const order = await put()
    await payForReclaim(context(dollars(100n), known), order, dollars(50n))
    await syncWanted(store.db, [order.id], [{ orderId: order.id, leg: 'source', verb: 'reclaim' }])
    const leased = await leaseAction(store.db, 'engine', 60)
    if (leased === null) throw new Error('nothing is due')
    const attempt = { raw: '0x', feeRate: 1n, at: NOW, chain: CHAIN, sender: 'relay', holdsSecret: false }
    const send = (tx: string, slot: string) => recordAttempt(store.db, [leased], { ...attempt, tx, slots: [slot] })
    await send('first', '1')
    return { order, send }
  }

  test('its fee is charged as it is now, whatever the budget: if nobody raised it, all transactions behind it would wait', async () => {
    const { order, send } = await sent()
    expect(await charged()).toBe(dollars(3n))
    await recordReclaimCost(context(dollars(3n), dearer), order)
    expect(await charged()).toBe(dollars(6n))
    await send('first, at a higher fee', '1')
    await recordReclaimCost(context(dollars(3n), dearer), order)
    expect(await charged()).toBe(dollars(6n))
  })

  test('nothing is charged for an order without one', async () => {
    await recordReclaimCost(context(dollars(3n), known), await put())
    expect(await charged()).toBeNull()
  })

  test('another one must be worth its own fee, and be within the budget', async () => {
    const { order, send } = await sent()
    await expect(payForReclaim(context(dollars(100n), known), order, dollars(3n) - 1n)).rejects.toMatchObject({ kind: 'uneconomic' })
    expect(await charged()).toBe(dollars(3n))
    await expect(payForReclaim(context(dollars(5n), known), order, dollars(50n))).rejects.toMatchObject({ kind: 'would-fail' })
    await payForReclaim(context(dollars(100n), known), order, dollars(3n))
    expect(await charged()).toBe(dollars(6n))
    await send('second', '2')
    await payForReclaim(context(dollars(100n), known), order, dollars(3n))
    expect(await charged()).toBe(dollars(9n))
  })
})
