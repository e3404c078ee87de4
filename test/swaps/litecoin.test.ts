import { expect, test } from 'vitest'
import { followForward } from '../../demo/client/follow-forward.ts'
import { tellStory } from './story.ts'

const story = await tellStory('bitcoin_regtest', 'litecoin_regtest', 'ethereum_localnet')

/** The most that the redeem's fee may take out of the payout. */
const MOST_FEE = 10_000n

const FOLLOW = { limitMs: 60_000, pollMs: 20 }

test('LTC is swapped to BTC by a plain deposit: no status goes back, and the recipient gets net_amount or more', async () => {
  const before = await story.balance('bitcoin_regtest:btc')
  const [from, to] = ['litecoin_regtest:ltc', 'bitcoin_regtest:btc']
  const { net_amount: least = '0' } = await story.api.quote({ from, to, from_amount: '500000000' })
  const created = await story.order(from, to, 500_000_000n)
  expect(created.to).toMatch(/^rltc1p/)
  const txid = await story.bitcoin('litecoin_regtest').pay(created.to ?? '', 500_000_000n)

  const done = await followForward(() => story.api.order(created.order_id), FOLLOW)
  expect(done.source_swap.initiate_tx_hash).toMatch(new RegExp(`^${txid}:[0-9]+$`))
  const received = (await story.balance('bitcoin_regtest:btc')) - before
  const promised = BigInt(done.destination_swap.amount)
  expect(promised - received).toBeGreaterThan(0n)
  expect(received).toBeGreaterThanOrEqual(BigInt(least))
  expect(BigInt(least)).toBeGreaterThan(0n)
  expect(promised - received).toBeLessThan(MOST_FEE)
  expect(await story.bitcoin('litecoin_regtest').balanceOf(created.to ?? '')).toBe(0n)
})

test('an ERC-20 token is swapped to LTC by a signature', async () => {
  const asset = 'ethereum_localnet:usdc'
  const { token, htlc } = story.contractsOf(asset)
  await story.evm('ethereum_localnet').approve(token, htlc, 2n ** 256n - 1n)
  const before = await story.balance('litecoin_regtest:ltc')
  const created = await story.order(asset, 'litecoin_regtest:ltc', 100_000_000n)
  await story.api.initiate(created.order_id, await story.evm('ethereum_localnet').signTypedData(created.typed_data ?? {}))

  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(done.destination_swap.swap_id).toMatch(/^rltc1p/)
  const received = (await story.balance('litecoin_regtest:ltc')) - before
  const promised = BigInt(done.destination_swap.amount)
  expect(received).toBeLessThanOrEqual(promised)
  expect(received).toBeGreaterThan(promised - MOST_FEE)
})
