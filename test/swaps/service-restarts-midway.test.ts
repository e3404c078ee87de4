import { expect, test } from 'vitest'
import { tellStory } from './story.ts'

const story = await tellStory('bitcoin_regtest', 'ethereum_localnet')

test('the service is restarted after every step of one swap, and the swap completes', async () => {
  const before = await story.balance('ethereum_localnet:wbtc')
  const restart = async () => {
    await story.stack.service.setRunning(false)
    await story.stack.service.setRunning(true)
  }
  const created = await story.order('bitcoin_regtest:btc', 'ethereum_localnet:wbtc', 1_000_000n)
  await restart()
  await story.stack.service.setRunning(false)
  await story.bitcoin().pay(created.to ?? '', 1_000_000n)
  await story.stack.service.setRunning(true)
  await story.until(created.order_id, 'the deposit', (order) => order.source_swap.initiate_tx_hash !== '')
  await restart()
  await story.until(created.order_id, 'the other side', (order) => order.destination_swap.initiate_tx_hash !== '')
  await restart()
  await story.until(created.order_id, 'the redeem', (order) => order.destination_swap.redeem_tx_hash !== '')
  await restart()

  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(await story.balance('ethereum_localnet:wbtc')).toBe(before + BigInt(done.destination_swap.amount))
  expect((await story.signed('service', created.order_id)).get('redeem destination')).toHaveLength(1)
})
