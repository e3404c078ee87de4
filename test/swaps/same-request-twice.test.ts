/** Tests that a repeated request changes nothing. */
import { expect, test } from 'vitest'
import { tellStory } from './story.ts'

const story = await tellStory('bitcoin_regtest', 'ethereum_localnet')

test('a repeated POST returns the same order, a repeated PATCH the same transaction', async () => {
  const wallet = story.evm('ethereum_localnet')
  const asset = 'ethereum_localnet:wbtc'
  await story.approve(asset)
  const quote = await story.api.quote({ from: asset, to: 'bitcoin_regtest:btc', from_amount: '1000000' })
  const request = {
    source: { asset, owner: wallet.address, amount: quote.source.amount },
    destination: { asset: 'bitcoin_regtest:btc', owner: story.bitcoin().address, amount: quote.destination.amount },
    nonce: '42',
  }
  const before = await story.balance(asset)

  const [first, second] = await Promise.all([story.api.createOrder(request), story.api.createOrder(request)])
  expect(second.order_id).toBe(first.order_id)
  expect(second.typed_data).toEqual(first.typed_data)
  await expect(story.api.createOrder({ ...request, source: { ...request.source, amount: '1100000' } })).rejects.toMatchObject({
    code: 'conflict',
    httpStatus: 409,
  })

  const signature = await wallet.signTypedData(first.typed_data ?? {})
  const [sent, sentAgain] = await Promise.all([
    story.api.initiate(first.order_id, signature),
    story.api.initiate(first.order_id, signature),
  ])
  expect(sentAgain).toBe(sent)
  await story.untilStatus(first.order_id, 'counterparty_redeemed')
  expect(await story.api.initiate(first.order_id, signature)).toBe(sent)

  expect((await story.signed('service', first.order_id)).get('initiate source')).toEqual([sent])
  expect(await story.balance(asset)).toBe(before - 1_000_000n)
})

test('a repeated Idempotency-Key returns the same order, and is refused for another request', async () => {
  const quote = await story.api.quote({ from: 'bitcoin_regtest:btc', to: 'ethereum_localnet:wbtc', from_amount: '1000000' })
  const request = {
    source: { asset: 'bitcoin_regtest:btc', owner: story.bitcoin().address, amount: quote.source.amount },
    destination: { asset: 'ethereum_localnet:wbtc', owner: story.evm('ethereum_localnet').address, amount: quote.destination.amount },
  }
  const headers = { 'idempotency-key': 'the-same' }
  const first = await story.api.createOrder(request, headers)
  const second = await story.api.createOrder(request, headers)
  expect(second.order_id).toBe(first.order_id)
  expect(second.to).toBe(first.to)
  await expect(story.api.createOrder({ ...request, slippage: 100 }, headers)).rejects.toMatchObject({ code: 'conflict' })
})
