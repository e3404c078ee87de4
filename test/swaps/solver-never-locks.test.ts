import { expect, test } from 'vitest'
import { tellStory } from './story.ts'

const story = await tellStory('ethereum_localnet', 'arbitrum_localnet')

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
