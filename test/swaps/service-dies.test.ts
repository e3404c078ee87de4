/** Tests swaps while the service dies and starts again. */
import { expect, test } from 'vitest'
import { tellStory } from './story.ts'

const story = await tellStory('bitcoin_regtest', 'ethereum_localnet', 'arbitrum_localnet')

test('the service is restarted after every step of one swap, and the swap completes', async () => {
  const before = await story.balance('ethereum_localnet:wbtc')
  const restart = () => story.restart('service')
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

test('the service dies before it redeems: the solver is refunded, then the user', async () => {
  const created = await story.order('ethereum_localnet:eth', 'arbitrum_localnet:usdc', 400_000_000_000_000_000n)
  const before = await story.balance('ethereum_localnet:eth')
  await story.stack.service.setRunning(false)
  await story.evm('ethereum_localnet').fund(created)
  await story.untilSeen('solver', created.order_id, 'destination initiated')

  await story.passTime('arbitrum_localnet', 200)
  await story.untilSeen('solver', created.order_id, 'destination refunded')
  await story.stack.service.setRunning(true)
  const waiting = await story.untilStatus(created.order_id, 'awaiting_refund')
  expect(waiting.destination_swap.refund_tx_hash).not.toBe('')
  await story.passTime('ethereum_localnet', 1_300)

  const refunded = await story.untilStatus(created.order_id, 'refunded')
  expect(refunded.source_swap.secret).toBe('')
  expect(await story.secretSigned(created.order_id)).toBe(false)
  expect(before - (await story.balance('ethereum_localnet:eth'))).toBeLessThan(10_000_000_000_000_000n)
})
