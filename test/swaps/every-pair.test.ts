/** Each kind of chain swaps with each other one, all on one stack at the same time. Then one order of each is refunded. */

import { bitcoinLocal } from '@tandem/bitcoin/local/local.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import { parseUsdPrice } from '@tandem/protocol/amount.ts'
import { expect, test } from 'vitest'
import type { CreatedOrder, OrderRecord } from '../../demo/client/api-client.ts'
import { followForward } from '../../demo/client/follow-forward.ts'
import { tellStory } from './story.ts'

const DOLLARS = parseUsdPrice('30')
const FOLLOW_LIMIT_MS = 500_000
const FOLLOW_POLL_MS = 100

/** The kinds are `evm`, `bitcoin`, `litecoin`, …. Chains of one kind differ in their number only. */
const kindOf = ({ family, reference }: (typeof localChains)[number]) => (family === 'bitcoin' ? reference.split(':')[0] : family)
const chains = localChains.filter((chain, index) => localChains.findIndex((other) => kindOf(other) === kindOf(chain)) === index)
const assets = chains.map(({ id }) => {
  const asset = localAssets.find(({ chain }) => chain === id)
  if (asset === undefined) throw new Error(`${id} has no asset`)
  return asset
})
type Pair = { readonly from: string; readonly to: string }
const pairs: readonly Pair[] = assets.flatMap((from) => assets.filter((to) => to !== from).map((to) => ({ from: from.id, to: to.id })))

/** With these pairs each kind is once a source and once a destination. */
const nextOf = (asset: string) => assets[(assets.findIndex(({ id }) => id === asset) + 1) % assets.length]?.id ?? ''

const story = await tellStory(...chains.map(({ id }) => id))
const { api, ownerOf, balance } = story
// Blocks come at the pace of the registry: with one for each transaction, other swaps would use up the time to reveal a secret.
for (const { id } of chains.filter(({ family }) => family === bitcoinLocal.name))
  story.stack.network.control(id, bitcoinLocal).setMining({ mode: 'interval' })

/** The amounts are worth some dollars, by the price of a whole coin. */
const amounts = new Map<string, bigint>(
  assets.map(({ id, decimals }) => [id, (DOLLARS * 10n ** BigInt(decimals)) / parseUsdPrice(story.stack.network.prices[id] ?? '')]),
)
const amountOf = (asset: string) => amounts.get(asset) ?? 0n

async function order({ from, to }: Pair): Promise<CreatedOrder> {
  const quote = await api.quote({ from, to, from_amount: amountOf(from).toString() })
  return api.createOrder({
    source: { asset: from, owner: ownerOf(from), amount: quote.source.amount },
    destination: { asset: to, owner: ownerOf(to), amount: quote.destination.amount },
  })
}

/** A wallet makes and funds one order after the other, because an approval is exact. Different wallets work at the same time. */
async function fundAll(): Promise<readonly string[]> {
  const bySource = assets.map(async ({ id }) => {
    const wallet = await story.walletFor(id)
    const made: string[] = []
    for (const pair of pairs.filter(({ from }) => from === id)) {
      const created = await order(pair)
      if (pair.to === nextOf(pair.from)) follow(created.order_id)
      await wallet.fund(created)
      made.push(created.order_id)
    }
    return made
  })
  return (await Promise.all(bySource)).flat()
}

/** One order of each source is followed from before it is funded until its end. */
const followed: Promise<OrderRecord>[] = []

function follow(orderId: string): void {
  const end = followForward(() => api.order(orderId), { limitMs: FOLLOW_LIMIT_MS, pollMs: FOLLOW_POLL_MS })
  // The promise is awaited after all are funded.
  end.catch(() => undefined)
  followed.push(end)
}

const balances = async () => new Map(await Promise.all(assets.map(async ({ id }) => [id, await balance(id)] as const)))

test(`every one of ${pairs.length} pairs completes`, { timeout: 600_000 }, async () => {
  const before = await balances()
  const made = await fundAll()
  expect(made).toHaveLength(assets.length * (assets.length - 1))
  const done = await Promise.all(made.map((orderId) => story.untilStatus(orderId, 'redeemed', 'counterparty_redeemed')))
  const after = await balances()
  for (const { id, tokenSchema } of assets) {
    const sent = amountOf(id) * BigInt(assets.length - 1)
    const received = done.reduce((sum, { destination_swap: { asset, amount } }) => sum + (asset === id ? BigInt(amount) : 0n), 0n)
    const change = (after.get(id) ?? 0n) - (before.get(id) ?? 0n)
    // A coin also pays the fees of its transactions.
    const fees = tokenSchema === null ? amountOf(id) / 2n : 0n
    expect.soft(change, id).toBeLessThanOrEqual(received - sent)
    expect.soft(change, id).toBeGreaterThanOrEqual(received - sent - fees)
  }
})

test('no status of theirs goes back, and no transaction hash disappears', { timeout: 600_000 }, async () => {
  expect(followed).toHaveLength(assets.length)
  await Promise.all(followed)
})

/** Where an initiation names its end, the timelock counts from the last moment to fund the order. */
function secondsBefore(chain: string): number {
  const { clock, fundingWindowSeconds } = chains.find(({ id }) => id === chain) ?? {}
  return clock?.expiry === 'absolute' ? Number(fundingWindowSeconds) : 0
}

test('one order from each is refunded when the solver is gone', { timeout: 600_000 }, async () => {
  const made = await Promise.all(
    assets.map(async ({ id }) => ({ asset: id, before: await balance(id), created: await order({ from: id, to: nextOf(id) }) })),
  )
  await story.stack.solver.setRunning(false)
  await Promise.all(
    made.map(async ({ asset, before, created }) => {
      const wallet = await story.walletFor(asset)
      await wallet.fund(created)
      const funded = await story.untilStatus(created.order_id, 'initiated')
      await wallet.passTime(funded.source_swap.timelock + secondsBefore(funded.source_swap.chain))
      await story.untilStatus(created.order_id, 'refunded')
      expect(before - (await balance(asset)), asset).toBeLessThan(amountOf(asset) / 2n)
    }),
  )
})
