// The refund package is returned once, to the caller that made the order.

import { createSecp256k1Key } from '@tandem/keys/secp256k1.ts'
import { findOrder } from '@tandem/party/store/orders/orders.ts'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type RealChains, useRealChains, useRealKeys } from '../testing/real-chains.fixture.ts'
import { alice, bob, btc, startTestService, type TestService, wbtc } from '../testing/service.fixture.ts'

let service: TestService
let chains: RealChains
beforeAll(async () => {
  service = await startTestService()
  chains = await useRealChains(service)
})
afterEach(() => {
  service.reset()
  useRealKeys(service)
})
afterAll(async () => {
  await service.close()
  await chains.close()
})

const address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const fromBitcoin = (owner: string | null = address) => ({
  source: { asset: btc, owner, amount: '1000000' },
  destination: { asset: wbtc, owner: bob, amount: '990000' },
  nonce: String(Math.random()),
})
type Result = { order_id: string; to: string; refund_package?: Record<string, unknown> }
const post = async (body: object, headers: Record<string, string> = {}) => {
  const { status, body: reply } = await service.call('POST', '/v2/orders', { body, headers })
  expect(status).toBe(200)
  return reply.result as Result
}

test('contains the private key of the order and its terms', async () => {
  const { order_id: id, to, refund_package: refundPackage } = await post(fromBitcoin())
  const stored = await findOrder(service.db, id)
  if (stored === null) throw new Error('the order was not made')
  const { terms } = stored.order.source
  expect(refundPackage).toMatchObject({
    family: 'bitcoin',
    version: 1,
    chain: 'bitcoin_regtest',
    address: to,
    refund_address: address,
    terms: {
      asset: btc,
      initiator: terms.initiator,
      redeemer: terms.redeemer,
      amount: '1000000',
      secret_hash: terms.secretHash,
      timelock: terms.timelock.toString(),
    },
  })
  const key = await service.vault.get(service.db, id, 'source-key')
  expect(refundPackage?.private_key).toBe(key)
  expect(Buffer.from(createSecp256k1Key(String(refundPackage?.private_key)).publicKey.subarray(1)).toString('hex')).toBe(terms.initiator)
})

test('has no refund address without an owner', async () => {
  expect((await post(fromBitcoin(null))).refund_package).toMatchObject({ refund_address: null })
})

test('is returned once: not by a repeated request, not by a GET, not in the log', async () => {
  const body = fromBitcoin()
  const first = await post(body, { 'idempotency-key': `key of ${body.nonce}` })
  const key = String(first.refund_package?.private_key)
  expect(key).toMatch(/^[0-9a-f]{64}$/)
  const { order_id: id } = first
  for (const again of [await post(body), await post(body, { 'idempotency-key': `key of ${body.nonce}` })]) {
    expect(again).toEqual({ order_id: id, to: first.to, amount: '1000000' })
  }
  for (const path of [`/v2/orders/${id}`, `/v2/orders/${id}/funding`, '/v2/orders?status=all']) {
    const { status, body: reply } = await service.call('GET', path)
    expect(status).toBe(200)
    expect(JSON.stringify(reply)).toContain(id)
    expect(JSON.stringify(reply)).not.toContain(key)
    expect(JSON.stringify(reply)).not.toContain('refund_package')
  }
  expect(service.logged.join('')).not.toContain(key)
})

test('is returned to one of several concurrent requests', async () => {
  const body = fromBitcoin()
  const results = await Promise.all([post(body), post(body), post(body)])
  expect(new Set(results.map(({ order_id: id }) => id)).size).toBe(1)
  expect(results.filter(({ refund_package: refundPackage }) => refundPackage !== undefined)).toHaveLength(1)
})

test('is missing for sources whose users refund with their own wallets', async () => {
  const made = await post({
    source: { asset: wbtc, owner: alice, amount: '1000000' },
    destination: { asset: btc, owner: address, amount: '990000' },
  })
  expect(made).not.toHaveProperty('refund_package')
})
