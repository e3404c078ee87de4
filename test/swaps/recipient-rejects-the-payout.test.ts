import { expect, test } from 'vitest'
import { tellStory } from './story.ts'

const story = await tellStory('ethereum_localnet', 'arbitrum_localnet')

test('a payout that the recipient rejects fails in simulation: the secret is not shown, and both sides are refunded', async () => {
  const recipient = '0x00000000000000000000000000000000000bad01'
  const quote = await story.api.quote({ from: 'ethereum_localnet:wbtc', to: 'arbitrum_localnet:eth', from_amount: '1000000' })
  const owner = story.evm('ethereum_localnet').address
  const created = await story.api.createOrder({
    source: { asset: 'ethereum_localnet:wbtc', owner, amount: quote.source.amount },
    destination: { asset: 'arbitrum_localnet:eth', owner: recipient, amount: quote.destination.amount },
  })
  await rejectFromNowOn(recipient)
  const before = await story.balance('ethereum_localnet:wbtc')
  await story.evm('ethereum_localnet').fund(created)
  await story.untilStatus(created.order_id, 'counterparty_initiated')

  await story.passTime('arbitrum_localnet', 200)
  await story.until(created.order_id, 'the solver to be refunded', (order) => order.destination_swap.refund_tx_hash !== '')
  await story.passTime('ethereum_localnet', 1_300)

  await story.untilStatus(created.order_id, 'refunded')
  expect(await story.secretSigned(created.order_id)).toBe(false)
  expect((await story.signed('service', created.order_id)).has('redeem destination')).toBe(false)
  expect(await story.balance('ethereum_localnet:wbtc')).toBe(before)
})

async function rejectFromNowOn(address: string): Promise<void> {
  // PUSH0 PUSH0 REVERT: every call reverts.
  await story.evmChain('arbitrum_localnet').request({ method: 'hardhat_setCode', params: [address, '0x5f5ffd'] })
}
