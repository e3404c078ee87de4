/** Tests orders that are never funded. */
import { expect, test } from 'vitest'
import { tellStory } from './story.ts'

const story = await tellStory('bitcoin_regtest', 'ethereum_localnet', 'arbitrum_localnet')

test('an unfunded order expires, and no party signs a transaction for it', async () => {
  const before = await story.balance('ethereum_localnet:wbtc')
  const created = await story.order('ethereum_localnet:wbtc', 'bitcoin_regtest:btc', 1_000_000n)
  expect((await story.api.order(created.order_id)).status).toBe('created')

  await story.passTime('ethereum_localnet', 3_700)

  const expired = await story.untilStatus(created.order_id, 'expired')
  expect(expired.source_swap.filled_amount).toBe('0')
  expect(expired.destination_swap.initiate_tx_hash).toBe('')
  expect(await story.balance('ethereum_localnet:wbtc')).toBe(before)
  expect(await story.signed('solver', created.order_id)).toEqual(new Map())
  expect(await story.signed('service', created.order_id)).toEqual(new Map())
})

test('a signature granted after the deadline is not relayed', async () => {
  const wallet = story.evm('arbitrum_localnet')
  await story.approve('arbitrum_localnet:wbtc')
  const created = await story.order('arbitrum_localnet:wbtc', 'bitcoin_regtest:btc', 1_000_000n)
  const signature = await wallet.signTypedData(created.typed_data ?? {})

  await story.passTime('arbitrum_localnet', 3_700)
  await story.untilStatus(created.order_id, 'expired')

  await expect(story.api.initiate(created.order_id, signature)).rejects.toMatchObject({ code: 'conflict' })
  expect(await story.signed('service', created.order_id)).toEqual(new Map())
})
