/** Tests what the transactions of a leg cost. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import { createMemoryChain } from '@tandem/party/engine/chain.fixture.ts'
import { createStaticFeed } from '@tandem/party/prices/static-feed.ts'
import { createRegistry } from '@tandem/protocol/registry/registry.ts'
import { expect, test } from 'vitest'
import { createLegCosts } from './leg-costs.ts'

const wbtc = 'ethereum_localnet:wbtc'
const registry = createRegistry({
  chains: localChains,
  assets: localAssets,
  deployments: { [wbtc]: { htlc: '0x01', token: '0x02' }, 'ethereum_localnet:eth': { htlc: '0x03', token: null } },
  served: new Set(['ethereum_localnet']),
})

function open(changes: Partial<ChainClient> = {}, dollars = 3_000n) {
  const world = { nowMs: 0, reads: 0, failure: null as unknown, troubles: [] as unknown[], isPriced: true }
  const prices = createStaticFeed({ 'ethereum_localnet:eth': dollars * 10n ** 8n })
  const { payoutFee: _, ...memory } = createMemoryChain('ethereum_localnet', 0n)
  const client: ChainClient = {
    ...memory,
    async legCost() {
      world.reads += 1
      if (world.failure !== null) throw world.failure
      return { decimals: 18, initiate: BigInt(world.reads) * 10n ** 15n, redeem: 10n ** 14n + 1n, refund: 0n }
    },
    ...changes,
  }
  const costs = createLegCosts({
    registry,
    clients: new Map([['ethereum_localnet', client]]),
    prices: { ...prices, find: (asset) => (world.isPriced ? prices.find(asset) : null) },
    onError: (_asset, error) => world.troubles.push(error),
    nowMs: () => world.nowMs,
  })
  return { costs, world }
}

test('dollars of the chain’s own coin, rounded up', async () => {
  expect(await open().costs.find(wbtc)).toEqual({ initiate: 3_000_000n, redeem: 300_001n, refund: 0n, paidRedeem: 300_001n })
})

test('where a payout pays its own fee, the service pays no redeem', async () => {
  expect(await open({ payoutFee: async () => 1n }).costs.find(wbtc)).toMatchObject({ redeem: 300_001n, paidRedeem: 0n })
})

test('while the coin has no price, the last one counts: network fees are not given away', async () => {
  const { costs, world } = open()
  world.isPriced = false
  expect(await costs.find(wbtc)).toBeNull()
  world.isPriced = true
  await costs.find(wbtc)
  world.isPriced = false
  expect(await costs.find(wbtc)).toMatchObject({ initiate: 3_000_000n })
})

test('a thousand quotes cost one read every ten seconds, and none waits for a later one', async () => {
  const { costs, world } = open()
  const ask = () => Promise.all(Array.from({ length: 1_000 }, () => costs.find(wbtc)))
  await ask()
  await ask()
  expect(world.reads).toBe(1)
  world.nowMs = 10_001
  const answers = await ask()
  expect(world.reads).toBe(2)
  expect(new Set(answers.map((answer) => answer?.initiate))).toEqual(new Set([3_000_000n]))
  expect((await costs.find(wbtc))?.initiate).toBe(6_000_000n)
})

test('a cost that cannot be read again counts as it was for ten minutes; then nothing is quoted, because the fees would be given away', async () => {
  const { costs, world } = open()
  await costs.warm([wbtc])
  world.failure = new ChainFailure('unreachable', 'silent')
  for (const age of [60_000, 60_001, 600_000]) {
    world.nowMs = age
    expect(await costs.find(wbtc)).toMatchObject({ initiate: 3_000_000n })
  }
  world.nowMs = 600_001
  const refusal = expect.objectContaining({ code: 'chain_unavailable', message: expect.stringContaining(wbtc) })
  await expect(costs.find(wbtc)).rejects.toEqual(refusal)
  expect(world.troubles).toEqual([])
  world.failure = new Error('a bug')
  await expect(costs.find(wbtc)).rejects.toEqual(refusal)
  expect(world.troubles).toEqual([world.failure])
  await costs.warm([wbtc])
  world.failure = null
  expect(await costs.find(wbtc)).not.toBeNull()
  const silent = open()
  silent.world.failure = new ChainFailure('unreachable', 'silent')
  await expect(silent.costs.find(wbtc)).rejects.toEqual(refusal)
})

test("a chain's own coin pays for all its assets; other assets pay no fees", async () => {
  const { costs } = open()
  expect(costs.coinsFor('ethereum_localnet:eth', 20n)).toBe(0n)
  await costs.warm([wbtc])
  expect(costs.coinsFor('ethereum_localnet:eth', 20n)).toBe(20n * (10n ** 15n + 10n ** 14n + 1n))
  expect(costs.coinsFor(wbtc, 20n)).toBe(0n)
})

test('is unknown if the coin has no price, or the family cannot say', async () => {
  const { costs, world } = open({}, 0n)
  expect(await costs.find(wbtc)).toBeNull()
  expect(world.reads).toBe(0)
  const { legCost: _, ...without } = createMemoryChain('ethereum_localnet', 0n) as ChainClient
  const costless = createLegCosts({
    registry,
    clients: new Map([['ethereum_localnet', without]]),
    prices: createStaticFeed({ 'ethereum_localnet:eth': 10n ** 8n }),
    onError: () => undefined,
  })
  expect(await costless.find(wbtc)).toBeNull()
})
