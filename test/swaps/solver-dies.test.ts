/** Tests swaps whose solver dies before or after it pays. */
import { expect, test } from 'vitest'
import { tellStory } from './story.ts'

const story = await tellStory('bitcoin_regtest', 'ethereum_localnet', 'arbitrum_localnet')

test('the solver dies after it initiated: the user is paid at once, the solver when it runs again', async () => {
  const before = await story.balance('arbitrum_localnet:usdc')
  const created = await story.order('bitcoin_regtest:btc', 'arbitrum_localnet:usdc', 1_000_000n)
  await story.waitFor(created.order_id, 1000)
  await story.bitcoin().pay(created.to ?? '', 1_000_000n)
  await story.untilSeen('solver', created.order_id, 'destination initiated')

  await story.stack.solver.setRunning(false)
  await story.waitFor(created.order_id, 1)
  const paid = await story.untilStatus(created.order_id, 'redeemed')
  expect(await story.balance('arbitrum_localnet:usdc')).toBe(before + BigInt(paid.destination_swap.amount))
  expect(paid.source_swap.redeem_tx_hash).toBe('')

  await story.stack.solver.setRunning(true)
  const settled = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(settled.source_swap.redeem_tx_hash).not.toBe('')
})

test('the solver is down: the user is refunded after the timelock', async () => {
  const created = await story.order('ethereum_localnet:eth', 'arbitrum_localnet:usdc', 400_000_000_000_000_000n)
  const before = await story.balance('ethereum_localnet:eth')
  await story.stack.solver.setRunning(false)

  await story.evm('ethereum_localnet').fund(created)
  await story.untilStatus(created.order_id, 'initiated')
  await story.passTime('ethereum_localnet', 1_300)

  const refunded = await story.untilStatus(created.order_id, 'refunded')
  expect(refunded.destination_swap.initiate_tx_hash).toBe('')
  expect(await story.secretSigned(created.order_id)).toBe(false)
  expect(before - (await story.balance('ethereum_localnet:eth'))).toBeLessThan(10_000_000_000_000_000n)
})
