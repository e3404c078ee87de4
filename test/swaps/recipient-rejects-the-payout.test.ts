/** Tests swaps to a recipient that rejects its payout. */
import { expect, test } from 'vitest'
import { tellStory } from './story.ts'

const story = await tellStory('ethereum_localnet', 'arbitrum_localnet')

/** The code is PUSH0 PUSH0 REVERT, so every call reverts. */
const REJECTS = '0x5f5ffd'

async function orderTo(recipient: string) {
  const quote = await story.api.quote({ from: 'ethereum_localnet:wbtc', to: 'arbitrum_localnet:eth', from_amount: '1000000' })
  return story.api.createOrder({
    source: { asset: 'ethereum_localnet:wbtc', owner: story.evm('ethereum_localnet').address, amount: quote.source.amount },
    destination: { asset: 'arbitrum_localnet:eth', owner: recipient, amount: quote.destination.amount },
  })
}

const become = (address: string, code: string) =>
  story.evmChain('arbitrum_localnet').request({ method: 'hardhat_setCode', params: [address, code] })

test('a recipient that rejects is refused at once; one that rejects later is not paid, and the user gets the money back in seconds', async () => {
  const recipient = '0x00000000000000000000000000000000000bad01'
  await become(recipient, REJECTS)
  await expect(orderTo(recipient)).rejects.toThrow(/cannot receive arbitrum_localnet:eth: it is a contract/)
  const later = '0x00000000000000000000000000000000000bad02'
  const created = await orderTo(later)
  await become(later, REJECTS)
  const before = await story.balance('ethereum_localnet:wbtc')
  await story.evm('ethereum_localnet').fund(created)
  await story.untilStatus(created.order_id, 'refunded')
  expect((await story.signed('solver', created.order_id)).has('initiate destination')).toBe(false)
  expect(await story.balance('ethereum_localnet:wbtc')).toBe(before)
})

test('a payout that only the service finds to fail shows no secret, and both sides are refunded', async () => {
  const recipient = '0x00000000000000000000000000000000000bad03'
  const created = await orderTo(recipient)
  const { initiator } = (await story.until(created.order_id, 'it', () => true)).destination_swap
  // The contract takes the money if the solver tries: ORIGIN, PUSH20, EQ, PUSH1 29, JUMPI, PUSH0, PUSH0, REVERT, JUMPDEST, STOP.
  await become(recipient, `0x3273${initiator.slice(2)}14601d575f5ffd5b00`)
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
