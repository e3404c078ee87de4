/** Nothing goes wrong in these swaps by a deposit, a transaction and a signature. */
import type { OrderEventRecord } from '@tandem/protocol/wire/order-event.ts'
import { readEvents } from '@tandem/service/testing/event-reader.fixture.ts'
import { expect, test } from 'vitest'
import { followForward } from '../../demo/client/follow-forward.ts'
import { tellStory } from './story.ts'

const story = await tellStory('bitcoin_regtest', 'litecoin_regtest', 'ethereum_localnet', 'arbitrum_localnet')

const MAX_FEE = 10_000n

const FOLLOW = { limitMs: 60_000, pollMs: 20 }

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
  expect(promised - received).toBeLessThan(MAX_FEE)
  expect(await story.bitcoin('litecoin_regtest').balanceOf(created.to ?? '')).toBe(0n)
})

test('an ERC-20 token is swapped to LTC by a signature', async () => {
  const asset = 'ethereum_localnet:usdc'
  await story.approve(asset)
  const before = await story.balance('litecoin_regtest:ltc')
  const created = await story.order(asset, 'litecoin_regtest:ltc', 100_000_000n)
  await story.api.initiate(created.order_id, await story.evm('ethereum_localnet').signTypedData(created.typed_data ?? {}))

  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(done.destination_swap.swap_id).toMatch(/^rltc1p/)
  const received = (await story.balance('litecoin_regtest:ltc')) - before
  const promised = BigInt(done.destination_swap.amount)
  expect(received).toBeLessThanOrEqual(promised)
  expect(received).toBeGreaterThan(promised - MAX_FEE)
})
