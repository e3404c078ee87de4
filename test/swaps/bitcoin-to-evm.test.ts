import { expect, test } from 'vitest'
import { tellStory } from './story.ts'

const story = await tellStory('bitcoin_regtest', 'ethereum_localnet')

test('BTC is swapped to WBTC by a plain deposit', async () => {
  const before = await story.balance('ethereum_localnet:wbtc')

  const created = await story.order('bitcoin_regtest:btc', 'ethereum_localnet:wbtc', 1_000_000n)
  expect(created.amount).toBe('1000000')
  const txid = await story.bitcoin().pay(created.to ?? '', 1_000_000n)

  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(done.source_swap.swap_id).toBe(created.to)
  expect(done.source_swap.initiate_tx_hash).toMatch(new RegExp(`^${txid}:[0-9]+$`))
  expect(done.source_swap.filled_amount).toBe('1000000')
  expect(done.source_swap.redeem_tx_hash).not.toBe('')
  expect(done.destination_swap.redeem_tx_hash).not.toBe('')
  expect(await story.balance('ethereum_localnet:wbtc')).toBe(before + BigInt(done.destination_swap.amount))
  expect(await story.bitcoin().balanceOf(created.to ?? '')).toBe(0n)
})
