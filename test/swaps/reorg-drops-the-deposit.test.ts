/** Tests swaps whose deposit disappears in a reorg. */
import { expect, test } from 'vitest'
import { tellStory } from './story.ts'

const story = await tellStory('bitcoin_regtest', 'ethereum_localnet')

test('before the solver initiates: it does not initiate, and a new deposit completes the order', async () => {
  const before = await story.balance('ethereum_localnet:wbtc')
  const created = await story.order('bitcoin_regtest:btc', 'ethereum_localnet:wbtc', 1_000_000n)
  await story.stack.solver.setRunning(false)
  await story.bitcoin().pay(created.to ?? '', 1_000_000n)
  await story.untilStatus(created.order_id, 'initiated')

  story.bitcoinChain().reorg(1, { dropTransactions: true })
  await story.untilStatus(created.order_id, 'created')
  await story.stack.solver.setRunning(true)
  await story.bitcoin().pay(created.to ?? '', 1_000_000n)

  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(await story.balance('ethereum_localnet:wbtc')).toBe(before + BigInt(done.destination_swap.amount))
})

test('after the solver initiates: the secret is not shown, and the solver refunds its side', async () => {
  const before = await story.balance('ethereum_localnet:wbtc')
  const created = await story.order('bitcoin_regtest:btc', 'ethereum_localnet:wbtc', 1_000_000n)
  await story.waitFor(created.order_id, 1000)
  await story.bitcoin().pay(created.to ?? '', 1_000_000n)
  await story.untilSeen('solver', created.order_id, 'destination initiated')

  story.bitcoinChain().reorg(1, { dropTransactions: true })
  // The service may act on what it read up to two seconds ago, so it must know of the reorg before it has a reason to redeem.
  await story.eventually('the service to see the destination without the source', async () => {
    const seen = await story.seen('service', created.order_id)
    return seen.has('destination initiated') && !seen.has('source initiated')
  })
  await story.waitFor(created.order_id, 1)
  await story.passTime('ethereum_localnet', 200)

  const ended = await story.until(created.order_id, 'the solver to be refunded', (order) => order.destination_swap.refund_tx_hash !== '')
  expect(ended.destination_swap.secret).toBe('')
  expect(await story.secretSigned(created.order_id)).toBe(false)
  expect(await story.signed('service', created.order_id)).toEqual(new Map())
  expect(await story.balance('ethereum_localnet:wbtc')).toBe(before)
})
