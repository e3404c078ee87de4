// The client of these orders makes and keeps the secret, from POST /orders to PATCH ?action=redeem.

import { findOrder } from '@tandem/party/store/orders/orders.ts'
import { storedOrder } from '@tandem/party/store/store.fixture.ts'
import { actionKey, type Order } from '@tandem/protocol/order.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { btc, type Call, eventsOf, NOW, orderBody, sharedService, wbtc } from '../testing/service.fixture.ts'

const service = sharedService()
afterEach(() => service.reset())

const post = (body: unknown, headers: Record<string, string> = {}) => service.call('POST', '/v2/orders', { body, headers })
const resultOf = async (reply: ReturnType<typeof post>) => {
  const { status, body } = await reply
  expect(body.error).toBe(null)
  expect(status).toBe(200)
  return body.result as { order_id: string }
}

test('stores the secret hash of the client in the terms, and no secret', async () => {
  const secretHash = hashSecret(createSecret())
  const result = await resultOf(post({ ...orderBody(btc, wbtc), secret_hash: `0x${secretHash.toUpperCase()}` }))
  const stored = await findOrder(service.db, result.order_id)
  expect(stored).toMatchObject({ clientSecret: true, order: { source: { terms: { secretHash } }, destination: { terms: { secretHash } } } })
  expect(service.solver.ordered[0]).toMatchObject({ secret_hash: secretHash, client_secret: true })
  expect(await service.vault.get(service.db, result.order_id, 'secret')).toBe(null)
  expect(await service.vault.get(service.db, result.order_id, 'source-key')).not.toBe(null)
  const without = await resultOf(post({ ...orderBody(btc, wbtc), secret_hash: null }))
  expect((await findOrder(service.db, without.order_id))?.clientSecret).toBe(false)
  expect(service.solver.ordered[1]).toMatchObject({ client_secret: false })
})

test('a secret hash is accepted for one order across all apps; a refusal writes nothing and asks no solver', async () => {
  const secretHash = hashSecret(createSecret())
  const body = { ...orderBody(btc, wbtc), secret_hash: secretHash, nonce: `secret ${secretHash}` }
  const first = await resultOf(post(body))
  expect((await resultOf(post(body))).order_id).toBe(first.order_id)
  const before = await service.countRows()
  service.solver.ordered.length = 0
  const used = { status: 409, body: { code: 'conflict', error: expect.stringContaining('secret_hash was used before') } }
  const other = { ...orderBody(btc, wbtc), secret_hash: secretHash }
  expect(await post(other)).toMatchObject(used)
  expect(await post(other, { 'service-app-id': service.otherAppId })).toMatchObject(used)
  expect(service.solver.ordered).toEqual([])
  // The same nonce with another hash is another request.
  expect(await post({ ...body, secret_hash: hashSecret(createSecret()) })).toMatchObject({ status: 409, body: { code: 'conflict' } })
  expect(await post({ ...body, secret_hash: null })).toMatchObject({ status: 409, body: { code: 'conflict' } })
  expect(await service.countRows()).toEqual(before)
})

test('concurrent orders with one secret hash: exactly one is made', async () => {
  const body = { ...orderBody(btc, wbtc), secret_hash: hashSecret(createSecret()) }
  const replies = await Promise.all([post(body), post(body, { 'service-app-id': service.otherAppId }), post(body)])
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
})

describe('PATCH ?action=redeem', () => {
  let order: Order
  let secret: string
  let height = 1000n
  beforeEach(async () => {
    secret = createSecret()
    const { order_id: id } = await resultOf(post({ ...orderBody(btc, wbtc), secret_hash: hashSecret(secret) }))
    const stored = await storedOrder(service.db, id)
    order = stored.order
  })

  const redeem = (body: unknown = { secret }, headers: Call['headers'] = {}) =>
    service.call('PATCH', `/v2/orders/${order.id}?action=redeem`, { body, headers })
  const view = async (headers: Call['headers'] = {}) =>
    (await service.call('GET', `/v2/orders/${order.id}`, { headers })).body.result as {
      next_action: { who: string; what: string; by: number | null } | null
      destination_swap: { secret: string }
    }
  const fund = async (...legs: readonly ('source' | 'destination')[]) => {
    height += 1n
    for (const leg of ['source', 'destination'] as const) {
      const events = legs.includes(leg) ? [eventsOf(order[leg]).initiated(`${leg} ${order.id}`)] : []
      await service.mine(order[leg].chain, { height, time: NOW }, events)
    }
    if (legs.includes('source')) await service.signFill(order)
  }
  const showSecret = async () => {
    height += 1n
    await service.mine(order.destination.chain, { height, time: NOW }, [eventsOf(order.destination).redeemed('0xmined', secret)])
  }
  /** This simulates the engine, which stores the transaction that it sent. */
  const send = async (tx: string) => {
    const key = actionKey(order.id, 'destination', 'redeem')
    await service.db
      .insertInto('actions')
      .values({ key, order_id: order.id, leg: 'destination', verb: 'redeem', wanted: true, last_tx: tx })
      .execute()
  }
  const sealed = () => service.vault.get(service.db, order.id, 'secret')
  const grants = async () => (await findOrder(service.db, order.id))?.grants
  const nothingKept = async () => {
    expect(await sealed()).toBe(null)
    expect(await grants()).toEqual([])
  }

  test('is a conflict with a reason until the secret may be shown, and stores nothing', async () => {
    const refused = async (words: RegExp) => {
      expect(await redeem()).toMatchObject({ status: 409, body: { code: 'conflict', error: expect.stringMatching(words) } })
      await nothingKept()
    }
    await refused(/source is not initiated/)
    await fund('source')
    expect((await view()).next_action).toMatchObject({ who: 'solver', what: 'initiate_destination' })
    await refused(/destination is not initiated/)
    await service.db
      .updateTable('swaps')
      .set({ required_confirmations: 2 })
      .where('order_id', '=', order.id)
      .where('leg', '=', 'destination')
      .execute()
    await fund('destination')
    expect((await view()).next_action).toMatchObject({ who: 'solver', what: 'initiate_destination' })
    await refused(/destination is not initiated at its required confirmations/)
    await fund()
    const { next_action: next } = await view()
    expect(next).toEqual({ who: 'user', what: 'reveal_secret', by: expect.any(Number) })
    service.world.now = NOW + 180n
    await refused(/too little time is left/)
    expect((await view()).next_action?.what).not.toBe('reveal_secret')
  })

  test('stores the secret with the grant, wakes the engine, and a repeated call joins', async () => {
    await fund('source', 'destination')
    let woken = 0
    service.world.onWake = () => {
      woken += 1
    }
    expect(await redeem({ secret: `0x${secret.toUpperCase()}` })).toMatchObject({ status: 503, body: { code: 'chain_unavailable' } })
    expect(woken).toBe(1)
    expect(await sealed()).toBe(secret)
    expect(await grants()).toEqual([{ kind: 'redeem', leg: 'destination' }])
    expect((await view()).next_action).toMatchObject({ who: 'service', what: 'redeem_destination' })
    await send('0xredeem')
    const ok = { status: 200, body: { result: '0xredeem' } }
    expect(await redeem()).toMatchObject(ok)
    await showSecret()
    expect((await redeem()).body.result).toBe('0xmined')
    service.world.now = NOW + 10_000n
    expect((await redeem()).body.result).toBe('0xmined')
  })

  test('concurrent calls make one grant', async () => {
    await fund('source', 'destination')
    const replies = await Promise.all([redeem(), redeem(), redeem()])
    expect(replies.map(({ status }) => status)).toEqual([503, 503, 503])
    expect(await sealed()).toBe(secret)
    expect(await grants()).toHaveLength(1)
  })

  test('refuses a wrong secret, a malformed one and another app; the error does not quote the value', async () => {
    await fund('source', 'destination')
    const other = createSecret()
    const refused = async (body: unknown, status: number, code: string, words: RegExp, headers = {}) => {
      const reply = await redeem(body, headers)
      expect(reply).toMatchObject({ status, body: { status: 'Error', code, error: expect.stringMatching(words) } })
      for (const value of Object.values(body as object)) {
        if (typeof value === 'string' && value !== hashSecret(secret)) expect(reply.body.error).not.toContain(value.slice(0, 20))
      }
      await nothingKept()
    }
    await refused({ secret: other }, 400, 'bad_request', /not the secret of this order/)
    await refused({ secret: hashSecret(secret) }, 400, 'bad_request', /not the secret of this order/)
    await refused({}, 400, 'bad_request', /secret is missing/)
    await refused({ secret: secret.slice(1) }, 400, 'bad_request', /^secret: expected .*32 bytes/)
    await refused({ secret: `${secret}00` }, 400, 'bad_request', /^secret: expected .*32 bytes/)
    await refused({ secret: 5 }, 400, 'bad_request', /^secret: expected .*32 bytes/)
    await refused({ secret: null }, 400, 'bad_request', /^secret: expected .*32 bytes/)
    await refused({ secret }, 403, 'forbidden', /another app/, { 'service-app-id': service.otherAppId })
    expect(service.logged.join('')).not.toContain(secret)
  })

  test('returns the secret only once it is public, and then to every app', async () => {
    await fund('source', 'destination')
    await redeem()
    const records = async () => [await view(), await view({ 'service-app-id': service.otherAppId })]
    expect(JSON.stringify(await records())).not.toContain(secret)
    expect(service.logged.join('')).not.toContain(secret)
    await showSecret()
    expect((await records()).map((record) => record.destination_swap.secret)).toEqual([secret, secret])
  })

  test('is refused for orders whose secret the service made', async () => {
    const { order_id: id } = await resultOf(post(orderBody(btc, wbtc)))
    const made = await service.vault.get(service.db, id, 'secret')
    const reply = await service.call('PATCH', `/v2/orders/${id}?action=redeem`, { body: { secret: made } })
    expect(reply).toMatchObject({
      status: 400,
      body: { code: 'bad_request', error: expect.stringContaining('the service holds the secret') },
    })
  })
})
