/** Tests who bears a move of the price before the deposit. */
import { expect, test } from 'vitest'
import { tellStory } from './story.ts'

const story = await tellStory('ethereum_localnet', 'arbitrum_localnet')

const ether = 'ethereum_localnet:eth'
const dollars = 'arbitrum_localnet:usdc'
const AMOUNT = 400_000_000_000_000_000n

/** The solver reads its prices when it starts. */
const priceEther = (usd: string) =>
  story.restart('solver', ({ prices }) => {
    prices[ether] = usd
  })

/** The order has the widest slippage that a user may choose. Slippage is the user's limit, not the solver's. */
const order = () => story.order(ether, dollars, AMOUNT, { slippage: 500 })

test('a small move before the deposit is the risk of the solver: it pays what was agreed', async () => {
  const created = await order()
  await priceEther('3950')
  const before = await story.balance(dollars)
  await story.evm('ethereum_localnet').fund(created)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect((await story.balance(dollars)) - before).toBe(BigInt(done.destination_swap.amount))
  await priceEther('4000')
})

test('beyond its own limit the solver does not pay, and the user has the money back at once', async () => {
  const created = await order()
  await priceEther('3900')
  const before = { ether: await story.balance(ether), dollars: await story.balance(dollars) }
  await story.evm('ethereum_localnet').fund(created)

  const refunded = await story.untilStatus(created.order_id, 'refunded')
  expect(refunded.destination_swap.initiate_tx_hash).toBe('')
  expect(await story.signed('solver', created.order_id)).toEqual(new Map())
  expect(await story.balance(dollars)).toBe(before.dollars)
  // The user loses only the gas of their own transaction.
  expect(before.ether - (await story.balance(ether))).toBeLessThan(10_000_000_000_000_000n)
})
