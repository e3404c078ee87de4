import type { OrderEventRecord } from '@tandem/protocol/wire/order-event.ts'
import { readEvents } from '@tandem/service/testing/event-reader.fixture.ts'
import { expect, test } from 'vitest'
import { tellStory } from './story.ts'

const story = await tellStory('ethereum_localnet', 'arbitrum_localnet')

test('ETH on one chain is swapped to USDC on another by a transaction that the user sends', async () => {
  const before = { ether: await story.balance('ethereum_localnet:eth'), dollars: await story.balance('arbitrum_localnet:usdc') }
  const amount = 500_000_000_000_000_000n

  const created = await story.order('ethereum_localnet:eth', 'arbitrum_localnet:usdc', amount)
  expect(created.approval_transaction).toBeNull()
  expect(created.typed_data).toBeNull()
  expect(created.initiate_transaction).toBeDefined()
  const events = await readEvents(`${story.info.base_url}/orders/${created.order_id}/events?app_id=${story.info.app_id}`, {})
  await story.evm('ethereum_localnet').fund(created)

  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(done.destination_swap.redeem_tx_hash).not.toBe('')
  expect(done.source_swap.redeem_tx_hash).not.toBe('')
  expect(done.source_swap.secret).toBe(done.destination_swap.secret)
  expect(await story.balance('arbitrum_localnet:usdc')).toBe(before.dollars + BigInt(done.destination_swap.amount))
  expect(before.ether - (await story.balance('ethereum_localnet:eth'))).toBeGreaterThanOrEqual(amount)

  const seen: OrderEventRecord[] = []
  while (seen.at(-1)?.status !== 'counterparty_redeemed') seen.push((await events.next()).data as OrderEventRecord)
  events.close()
  const statuses = seen.map(({ status }) => status)
  expect(statuses[0]).toBe('created')
  expect(new Set(statuses).size, statuses.join(' ')).toBe(statuses.length)
  expect(seen.at(-1)?.order.source_swap.redeem_tx_hash).toBe(done.source_swap.redeem_tx_hash)
})
