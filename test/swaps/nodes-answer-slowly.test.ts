/** Tests swaps while every node is slow. */
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { expect, test } from 'vitest'
import { openStory } from './story.ts'

const DOLLARS = 'arbitrum_localnet:usdc'
const ANSWER_MS = 1_000

const story = opened(() => openStory({ chains: ['bitcoin_regtest', 'ethereum_localnet', 'arbitrum_localnet'] }))

test('while every node takes a second for every answer, orders are made, paid and redeemed', async () => {
  const before = await story.balance(DOLLARS)
  story.bitcoinChain().faults.delay(ANSWER_MS)
  for (const chain of ['ethereum_localnet', 'arbitrum_localnet']) story.evmChain(chain).faults.delay(ANSWER_MS)
  const orders = await Promise.all([
    story.order('ethereum_localnet:eth', DOLLARS, 300_000_000_000_000_000n),
    story.order('bitcoin_regtest:btc', DOLLARS, 1_000_000n),
  ])
  const [fromEther, fromBitcoin] = orders
  await Promise.all([story.evm('ethereum_localnet').fund(fromEther), story.bitcoin().fund(fromBitcoin)])
  const done = await Promise.all(orders.map(({ order_id }) => story.untilStatus(order_id, 'counterparty_redeemed')))
  const received = done.reduce((sum, { destination_swap }) => sum + BigInt(destination_swap.amount), 0n)
  expect((await story.balance(DOLLARS)) - before).toBe(received)
}, 200_000)
