import { expect, test } from 'vitest'
import { tellStory } from './story.ts'

const story = await tellStory('bitcoin_regtest', 'ethereum_localnet')

test('a deposit that is too small is not filled, and is refunded automatically after the timelock', async () => {
  const created = await story.order('bitcoin_regtest:btc', 'ethereum_localnet:wbtc', 1_000_000n)
  const before = await story.balance('bitcoin_regtest:btc')

  await story.bitcoin().pay(created.to ?? '', 900_000n)
  const seen = await story.until(created.order_id, 'the deposit', (order) => order.source_swap.filled_amount === '900000')
  expect(seen.status).toBe('initiate_detected')
  await expect(story.api.refund(created.order_id)).rejects.toMatchObject({ code: 'conflict' })
  story.bitcoinChain().mine(200)

  const refunded = await story.untilStatus(created.order_id, 'refunded')
  expect(refunded.source_swap.refund_tx_hash).not.toBe('')
  expect(await story.signed('solver', created.order_id)).toEqual(new Map())
  const lost = before - (await story.balance('bitcoin_regtest:btc'))
  // Two network fees: the user's own, and that of the refund.
  expect(lost).toBeLessThan(5_000n)
})
