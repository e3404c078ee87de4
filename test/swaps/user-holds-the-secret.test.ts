/** Tests swaps whose secret the user keeps. */
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { expect, test } from 'vitest'
import { tellStory } from './story.ts'

const story = await tellStory('bitcoin_regtest', 'ethereum_localnet', 'arbitrum_localnet')

const order = (from: string, to: string, fromAmount: bigint, secretHash: string) =>
  story.order(from, to, fromAmount, { secret_hash: secretHash })
const reveal = (orderId: string, secret: string) =>
  story.api.call('PATCH', `/orders/${orderId}?action=redeem`, { secret }) as Promise<string>

test.each([
  ['bitcoin_regtest:btc', 'ethereum_localnet:wbtc'],
  ['ethereum_localnet:wbtc', 'bitcoin_regtest:btc'],
] as const)('%s to %s: nothing is redeemed until the user reveals their secret; then both sides are redeemed', async (from, to) => {
  const secret = createSecret()
  const created = await order(from, to, 1_000_000n, hashSecret(secret))
  await expect(reveal(created.order_id, secret)).rejects.toMatchObject({ code: 'conflict', httpStatus: 409 })
  const before = await story.balance(to)
  if (created.to !== undefined) await story.bitcoin().pay(created.to, 1_000_000n)
  else {
    await story.approve(from)
    await story.evm('ethereum_localnet').fund(created)
  }

  const waiting = await story.until(created.order_id, 'a request to the user', (one) => one.next_action?.what === 'reveal_secret')
  expect(waiting).toMatchObject({ status: 'counterparty_initiated', next_action: { who: 'user' }, destination_swap: { secret: '' } })
  await expect(reveal(created.order_id, createSecret())).rejects.toMatchObject({ code: 'bad_request' })
  expect(await story.secretSigned(created.order_id)).toBe(false)
  expect((await story.signed('service', created.order_id)).has('redeem destination')).toBe(false)

  const tx = await reveal(created.order_id, secret)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(done.destination_swap).toMatchObject({ redeem_tx_hash: tx, secret })
  expect(await reveal(created.order_id, secret)).toBe(tx)
  const received = (await story.balance(to)) - before
  const promised = BigInt(done.destination_swap.amount)
  // On Bitcoin the redeem's fee comes out of the payout.
  expect(received).toBeGreaterThan(promised - 5_000n)
  expect(received).toBeLessThanOrEqual(promised)
})

test('a secret that the user never reveals: the solver is refunded, and then the user at once, if the amount is small', async () => {
  const created = await order('ethereum_localnet:eth', 'arbitrum_localnet:usdc', 100_000_000_000_000_000n, hashSecret(createSecret()))
  await story.evm('ethereum_localnet').fund(created)
  await story.untilStatus(created.order_id, 'counterparty_initiated')

  await story.passTime('arbitrum_localnet', 200)
  await story.until(created.order_id, 'the solver to refund itself', (one) => one.destination_swap.refund_tx_hash !== '')
  expect((await story.signed('service', created.order_id)).has('refund source')).toBe(false)
  // The solver consents once its own refund is final.
  await story.evmChain('arbitrum_localnet').request({ method: 'hardhat_mine', params: ['0x40'] })
  await story.untilStatus(created.order_id, 'refunded')
  expect(await story.secretSigned(created.order_id)).toBe(false)
})

test('a large order whose secret is kept binds the money of its user until the timelock, and no other owner is refused for it', async () => {
  const created = await order('ethereum_localnet:eth', 'arbitrum_localnet:usdc', 1_000_000_000_000_000_000n, hashSecret(createSecret()))
  await story.evm('ethereum_localnet').fund(created)
  await story.untilStatus(created.order_id, 'counterparty_initiated')
  await story.passTime('arbitrum_localnet', 200)
  await story.until(created.order_id, 'the solver to refund itself', (one) => one.destination_swap.refund_tx_hash !== '')
  await story.evmChain('arbitrum_localnet').request({ method: 'hardhat_mine', params: ['0x40'] })
  await story.eventually('the solver to be sure of its refund', () =>
    story.seen('solver', created.order_id).then((seen) => seen.has('destination refunded')),
  )

  // This is another owner of the same app.
  const quote = await story.api.quote({ from: 'ethereum_localnet:eth', to: 'arbitrum_localnet:usdc', from_amount: '100000000000000000' })
  await story.api.createOrder({
    source: { asset: 'ethereum_localnet:eth', owner: `0x${'b7'.repeat(20)}`, amount: quote.source.amount },
    destination: { asset: 'arbitrum_localnet:usdc', owner: `0x${'b7'.repeat(20)}`, amount: quote.destination.amount },
    secret_hash: hashSecret(createSecret()),
  })

  expect((await story.signed('service', created.order_id)).has('refund source')).toBe(false)
  await story.passTime('ethereum_localnet', 1300)
  await story.makeDue()
  await story.untilStatus(created.order_id, 'refunded')
})
