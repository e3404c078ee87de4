import { expect, test } from 'vitest'
import { tellStory } from './story.ts'

const story = await tellStory('ethereum_localnet', 'arbitrum_localnet')

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
