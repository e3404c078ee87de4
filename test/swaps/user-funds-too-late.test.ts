/** Tests deposits that come too late. */
import { expect, test } from 'vitest'
import { tellStory } from './story.ts'

const story = await tellStory('ethereum_localnet', 'arbitrum_localnet')

test('the solver is halted before it pays: it declines, and the deposit is refunded at once', async () => {
  const created = await story.order('ethereum_localnet:eth', 'arbitrum_localnet:usdc', 400_000_000_000_000_000n)
  const before = await story.balance('ethereum_localnet:eth')
  await story.haltSolver('maintenance')

  await story.evm('ethereum_localnet').fund(created)
  const refunded = await story.untilStatus(created.order_id, 'refunded')
  expect(refunded.destination_swap.initiate_tx_hash).toBe('')
  expect(await story.signed('solver', created.order_id)).toEqual(new Map())
  expect(await story.secretSigned(created.order_id)).toBe(false)
  expect(before - (await story.balance('ethereum_localnet:eth'))).toBeLessThan(10_000_000_000_000_000n)
  await story.resumeSolver()
  const asked = { from: 'ethereum_localnet:eth', to: 'arbitrum_localnet:usdc', from_amount: '400000000000000000' }
  const isQuoted = () =>
    story.api.quote(asked).then(
      () => true,
      () => false,
    )
  await story.eventually('the solver to quote again', isQuoted)
})

test('a deposit mined after the deadline is not filled, and is refunded at once', async () => {
  const created = await story.order('ethereum_localnet:eth', 'arbitrum_localnet:usdc', 400_000_000_000_000_000n)
  const before = await story.balance('ethereum_localnet:eth')

  await story.passTime('ethereum_localnet', 3_700)
  await story.evm('ethereum_localnet').fund(created)

  // This is long before its timelock ends.
  const refunded = await story.untilStatus(created.order_id, 'refunded')
  expect(refunded.source_swap.refund_tx_hash).not.toBe('')
  expect(refunded.destination_swap.initiate_tx_hash).toBe('')
  expect(await story.signed('solver', created.order_id)).toEqual(new Map())
  // The user loses only the gas of their own transaction.
  expect(before - (await story.balance('ethereum_localnet:eth'))).toBeLessThan(10_000_000_000_000_000n)
})
