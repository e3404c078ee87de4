import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStory, type Story } from './story.ts'

let story: Story
beforeAll(async () => {
  story = await openStory()
})
afterAll(() => story.close())

test('wrapped bitcoin becomes bitcoin by one signature: the user sends nothing and pays no gas', async () => {
  const wallet = story.evm.ethereum_localnet
  const { token, htlc } = story.contractsOf('ethereum_localnet:wbtc')
  await wallet.approve(token, htlc, 2n ** 256n - 1n)
  const before = {
    ether: await story.balance('ethereum_localnet:eth'),
    wrapped: await story.balance('ethereum_localnet:wbtc'),
    bitcoin: await story.balance('bitcoin_regtest:btc'),
  }

  const created = await story.order('ethereum_localnet:wbtc', 'bitcoin_regtest:btc', 2_000_000n)
  expect(created.approval_transaction).toBeNull()
  const signature = await wallet.signTypedData(created.typed_data ?? {})
  const relayed = await story.api.initiate(created.order_id, signature)
  expect(relayed).toMatch(/^0x[0-9a-f]{64}$/)

  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(done.source_swap.initiate_tx_hash).toBe(relayed)
  expect(await story.balance('ethereum_localnet:eth')).toBe(before.ether)
  expect(await story.balance('ethereum_localnet:wbtc')).toBe(before.wrapped - 2_000_000n)
  const received = (await story.balance('bitcoin_regtest:btc')) - before.bitcoin
  const promised = BigInt(done.destination_swap.amount)
  // The fee of the last transaction comes out of the output.
  expect(received).toBeLessThan(promised)
  expect(received).toBeGreaterThan(promised - 5_000n)
})
