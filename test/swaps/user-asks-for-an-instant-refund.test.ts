/** Tests when an instant refund is signed, and when it is refused. */
import { expect, test } from 'vitest'
import type { CreatedOrder } from '../../demo/client/api-client.ts'
import { tellStory } from './story.ts'

const story = await tellStory('bitcoin_regtest', 'ethereum_localnet')

const takeBack = ({ order_id, order_token }: CreatedOrder, body: object = { signatures: [], order_token }) =>
  story.api.call('PATCH', `/orders/${order_id}?action=instant-refund`, body) as Promise<string>

test('a deposit that is too small is refunded before its timelock, because both parties sign', async () => {
  const before = await story.balance('bitcoin_regtest:btc')
  const created = await story.order('bitcoin_regtest:btc', 'ethereum_localnet:wbtc', 1_000_000n)
  await expect(takeBack(created)).rejects.toMatchObject({ code: 'conflict' })
  await story.bitcoin().pay(created.to ?? '', 900_000n)
  const waiting = await story.until(created.order_id, 'the deposit', (order) => order.source_swap.current_confirmations > 0)
  expect(waiting.next_action).toMatchObject({
    what: 'complete_source_deposit',
    or: 'instant-refund',
    why: expect.stringContaining('missing 100000'),
  })
  expect(await story.api.call('GET', `/orders/${created.order_id}/instant-refund-hash`)).toEqual([])
  await expect(takeBack(created, {})).rejects.toMatchObject({ code: 'bad_request' })
  await expect(takeBack(created, { signatures: [] })).rejects.toMatchObject({ code: 'forbidden' })

  const height = story.bitcoinChain().height
  const tx = await takeBack(created)
  const refunded = await story.untilStatus(created.order_id, 'refunded')
  expect(refunded.source_swap.refund_tx_hash).toBe(tx)
  expect(story.bitcoinChain().height).toBeLessThan(height + 10)
  expect(await takeBack(created)).toBe(tx)
  expect(await story.signed('service', created.order_id)).toEqual(new Map([['refund source', [tx]]]))
  expect(await story.signed('solver', created.order_id)).toEqual(new Map())
  expect(refunded.source_swap.instant_refund_tx).toMatch(/^02000000/)
  // The two network fees are the user's own and that of the refund.
  expect(before - (await story.balance('bitcoin_regtest:btc'))).toBeLessThan(5_000n)

  // After an instant refund the solver never pays for this order, so a second deposit is refunded too.
  await story.bitcoin().pay(created.to ?? '', 1_000_000n)
  await story.until(created.order_id, 'the second deposit', (order) => order.source_swap.filled_amount === '1000000')
  expect(await takeBack(created)).not.toBe(tx)
  await story.untilStatus(created.order_id, 'refunded')
  expect(await story.signed('solver', created.order_id)).toEqual(new Map())
  expect(before - (await story.balance('bitcoin_regtest:btc'))).toBeLessThan(10_000n)
})

test('an instant refund of a deposit that the solver pays for is refused, and the swap completes', async () => {
  const created = await story.order('bitcoin_regtest:btc', 'ethereum_localnet:wbtc', 1_000_000n)
  await story.bitcoin().pay(created.to ?? '', 1_000_000n)
  await story.untilSigned('solver', created.order_id, 'initiate destination')
  await expect(takeBack(created)).rejects.toMatchObject({ code: 'conflict' })
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(done.source_swap.refund_tx_hash).toBe('')
})

test('a deposit that is too small, for which nobody asks, is not filled and is refunded after the timelock', async () => {
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
  // The two network fees are the user's own and that of the refund.
  expect(lost).toBeLessThan(5_000n)
})
