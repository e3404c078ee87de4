// The owner of these orders is the user's own public key. The real families are used, because only they interpret such a key.

import { bitcoinNetworks } from '@tandem/bitcoin/terms/networks.ts'
import { parseUserKey } from '@tandem/bitcoin/terms/script/user-key.ts'
import { localChains } from '@tandem/families/registry.ts'
import { storedOrder } from '@tandem/party/store/store.fixture.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { afterEach, describe, expect, test } from 'vitest'
import { expectRefused } from '../api/fuzz/expect-refused.fixture.ts'
import { SOLVER_KEY, useRealChains, useRealKeys } from '../testing/real-chains.fixture.ts'
import { alice, bob, btc, eventsOf, NOW, sharedService, wbtc } from '../testing/service.fixture.ts'

const service = sharedService()
opened(() => useRealChains(service))
afterEach(() => {
  service.reset()
  useRealKeys(service)
})

const KEY = 'c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5'
const OTHER_KEY = 'f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9'
const addressOf = (key: string) => {
  const chain = localChains.find(({ id }) => btc.startsWith(`${id}:`))
  const network = bitcoinNetworks[chain?.reference ?? '']
  if (network === undefined) throw new Error('the local Bitcoin chain has a network')
  return parseUserKey(key, network)?.address
}

const fromKey = (owner = KEY, more: object = {}) => ({
  source: { asset: btc, owner, amount: '1000000' },
  destination: { asset: wbtc, owner: bob, amount: '990000' },
  ...more,
})
const toKey = (owner = KEY, more: object = { secret_hash: hashSecret(createSecret()) }) => ({
  source: { asset: wbtc, owner: alice, amount: '1000000' },
  destination: { asset: btc, owner, amount: '990000' },
  ...more,
})

const post = (body: object) => service.call('POST', '/v2/orders', { body })
async function make(body: object) {
  const { body: reply } = await post(body)
  expect(reply).toMatchObject({ status: 'Ok', error: null })
  const result = reply.result as { order_id: string; to: string; refund_package?: Record<string, unknown> }
  const stored = await storedOrder(service.db, result.order_id)
  return { result, stored, order: stored.order }
}
const sealed = async (id: string) =>
  (await service.db.selectFrom('sealed_values').select('purpose').where('order_id', '=', id).execute()).map(({ purpose }) => purpose)

describe('a source', () => {
  test('has the user key as initiator: the service stores no key, and refunds go to the address of the user key', async () => {
    const { order, result } = await make(fromKey())
    expect(order.source).toMatchObject({
      terms: { initiator: KEY },
      userAddress: addressOf(KEY),
      clientKey: true,
      orderKey: null,
      payer: null,
    })
    expect(order.destination.clientKey).toBe(false)
    expect(await sealed(order.id)).toEqual(['secret'])
    expect(service.solver.ordered[0]?.source.initiator).toBe(KEY)
    expect(result.refund_package).toMatchObject({ private_key: null, refund_address: addressOf(KEY), address: result.to })
    const record = (await service.call('GET', `/v2/orders/${order.id}`)).body.result as OrderRecord
    expect(record.source_swap).toMatchObject({ initiator: KEY, swap_id: result.to })
    expect(record.source_swap).not.toHaveProperty('delegate')
  })

  test('accepts the key in upper case', async () => {
    expect((await make(fromKey(KEY.toUpperCase()))).order.source.terms.initiator).toBe(KEY)
  })

  test('is idempotent regardless of case; the address of the key is a different owner', async () => {
    const { order } = await make(fromKey(KEY, { nonce: 'once' }))
    expect((await make(fromKey(KEY.toUpperCase(), { nonce: 'once' }))).order.id).toBe(order.id)
    expect((await make(fromKey(addressOf(KEY), { nonce: 'once' }))).order.id).not.toBe(order.id)
    const { data } = (await service.call('GET', `/v2/orders?from_owner=${KEY}`)).body.result as { data: readonly OrderRecord[] }
    expect(data.map(({ order_id }) => order_id)).toContain(order.id)
  })

  test.each([
    ['the key', KEY],
    ['the key in upper case', KEY.toUpperCase()],
    ['its address', addressOf(KEY)],
  ])('is found by %s', async (_, name) => {
    const { order } = await make(fromKey())
    const { data } = (await service.call('GET', `/v2/orders?address=${name}&per_page=500`)).body.result as { data: readonly OrderRecord[] }
    expect(data.map(({ order_id }) => order_id)).toContain(order.id)
  })

  test('can only be refunded by its owner', async () => {
    const { order } = await make(fromKey())
    await service.mine(order.source.chain, { height: 100n, time: NOW }, [eventsOf(order.source).initiated('deposit')])
    await service.mine(order.source.chain, { height: 100_000n, time: NOW }, [])
    await expectRefused(
      service,
      'PATCH',
      `/v2/orders/${order.id}?action=refund`,
      { body: {} },
      'bad_request',
      new RegExp(`only the holder of the key ${KEY} can refund, with the refund package`),
    )
  })
})

describe('a destination', () => {
  test('has the user key as redeemer, with a secret of the client', async () => {
    const { order, stored } = await make(toKey())
    expect(order.destination).toMatchObject({
      terms: { redeemer: KEY },
      userAddress: addressOf(KEY),
      clientKey: true,
      orderKey: null,
      payer: null,
    })
    expect(order.source).toMatchObject({ clientKey: false, orderKey: null, payer: null })
    expect(stored.clientSecret).toBe(true)
    expect(await sealed(order.id)).toEqual([])
    expect(service.solver.ordered[0]?.destination.redeemer).toBe(KEY)
  })

  test('needs a secret hash', async () => {
    const before = await service.countRows()
    expect(await post(toKey(KEY, {}))).toMatchObject({
      status: 400,
      body: {
        code: 'bad_request',
        error: expect.stringMatching(/destination\.owner is a public key of your own, so only you can redeem.*secret_hash/),
      },
    })
    expect(await service.countRows()).toEqual(before)
    expect(service.solver.ordered).toEqual([])
  })

  test('can only be redeemed by its owner, even with the right secret', async () => {
    const secret = createSecret()
    const { order } = await make(toKey(KEY, { secret_hash: hashSecret(secret) }))
    const words = new RegExp(`only the holder of destination.owner ${KEY} can redeem.*${order.destination.swapId}.*redeem leaf`)
    for (const body of [{}, { secret }, { secret: 'ab'.repeat(32) }])
      await expectRefused(service, 'PATCH', `/v2/orders/${order.id}?action=redeem`, { body }, 'bad_request', words)
  })
})

describe('key clashes', () => {
  test("refuses the solver's own key", async () => {
    for (const body of [fromKey(SOLVER_KEY), toKey(SOLVER_KEY)]) {
      const before = await service.countRows()
      expect(await post(body)).toMatchObject({
        status: 400,
        body: { code: 'bad_request', error: expect.stringMatching(/owner [0-9a-f]{64} is the solver, the other party/) },
      })
      expect(await service.countRows()).toEqual(before)
    }
  })

  test("another solver may take an order whose owner is the first solver's key", async () => {
    const { onOrder } = service.secondSolver
    service.secondSolver.onOrder = (request) => {
      const answer = onOrder(request)
      if (answer === 'hang up') return answer
      const body = answer.body as { source: { redeemer: string } }
      return { ...answer, body: { ...body, source: { ...body.source, redeemer: OTHER_KEY } } }
    }
    expect((await make(fromKey(SOLVER_KEY))).order.solverId).toBe('second')
  })

  const other = localChains.find(({ id, family }) => family === 'bitcoin' && !btc.startsWith(`${id}:`))
  if (other !== undefined)
    test('refuses the same key on both legs', async () => {
      const both = (destination: string) => ({
        source: { asset: btc, owner: KEY, amount: '1000000' },
        destination: { asset: other?.nativeAsset, owner: destination, amount: '50000000' },
        secret_hash: hashSecret(createSecret()),
      })
      for (const key of [KEY, KEY.toUpperCase()]) {
        expect(await post(both(key))).toMatchObject({
          status: 400,
          body: { code: 'bad_request', error: expect.stringMatching(/the same public key: use a different one on each side/) },
        })
      }
      expect(await post(both(OTHER_KEY))).toMatchObject({ status: 200 })
    })
})
