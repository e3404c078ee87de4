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
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { payForReclaim } from './reclaim-budget.ts'

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

/** A refund costs 0.001 ETH at $3,000, which is $3. */
const client: ChainClient = {
  ...createMemoryChain(CHAIN, NOW),
  legCost: async () => ({ decimals: 18, initiate: 0n, redeem: 0n, refund: 10n ** 15n }),
}
const context = (appUsdMicros: bigint, prices: Readonly<Record<string, bigint>>) =>
  ({
    db: store.db,
    clients: new Map([[CHAIN, client]]),
    prices: createStaticFeed(prices),
    registry: localRegistry(),
    settings: { refundBudget: { ownerUsdMicros: appUsdMicros, appUsdMicros } },
  }) as unknown as Parameters<typeof payForReclaim>[0]
const known = { [asset]: DOLLARS, [`${CHAIN}:eth`]: 3_000n * DOLLARS }
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

test('one that is sent already, whatever it costs by now: if nobody raised its fee, all transactions behind it would wait', async () => {
  const order = await put()
  await payForReclaim(context(dollars(3n), known), order, dollars(3n))
  await syncWanted(store.db, [order.id], [{ orderId: order.id, leg: 'source', verb: 'reclaim' }])
  const leased = await leaseAction(store.db, 'engine', 60)
  if (leased === null) throw new Error('nothing is due')
  const attempt = { raw: '0x', slots: [], feeRate: 1n, at: NOW, chain: CHAIN, sender: 'relay', holdsSecret: false }
  const charged = async () => (await store.db.selectFrom('paid_refunds').select('usd_micros').executeTakeFirstOrThrow()).usd_micros
  await recordAttempt(store.db, [leased], { ...attempt, tx: 'first' })
  const dearer = { ...known, [`${CHAIN}:eth`]: 6_000n * DOLLARS }
  await payForReclaim(context(dollars(3n), dearer), order, dollars(3n))
  expect(await charged()).toBe(dollars(6n))
  // Each of the few that one order may have is charged.
  await recordAttempt(store.db, [leased], { ...attempt, tx: 'second' })
  await payForReclaim(context(dollars(3n), known), order, dollars(3n))
  await payForReclaim(context(dollars(3n), dearer), order, dollars(3n))
  expect(await charged()).toBe(dollars(12n))
})
