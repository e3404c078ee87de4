/** Tests the requests that initiate, redeem and refund an order. */
import { findOrder } from '@tandem/party/store/orders/orders.ts'
import { storedOrder } from '@tandem/party/store/store.fixture.ts'
import { signedGrant } from '@tandem/protocol/grants.fixture.ts'
import { actionKey, type Order } from '@tandem/protocol/order.ts'
import { afterEach, expect, test } from 'vitest'
import { signatureOf } from '../testing/fake-chain.fixture.ts'
import {
  alice,
  aliceScript,
  bob,
  btc,
  type Call,
  eth,
  eventsOf,
  NOW,
  orderBody,
  sharedService,
  startTestService,
  type TestService,
  usdc,
  wbtc,
} from '../testing/service.fixture.ts'

const service = sharedService()
const waitingService = sharedService({ environment: 'local', broadcastWaitMs: 60_000 })
afterEach(() => {
  service.reset()
  waitingService.reset()
})

type Made = { readonly order: Order; readonly token: string }

async function make(body: object, on = service): Promise<Made> {
  const { body: reply } = await on.call('POST', '/v2/orders', { body })
  const { order_id: id, order_token: token } = reply.result as { order_id: string; order_token: string }
  const stored = await storedOrder(on.db, id)
  return { order: stored.order, token }
}

const patch = (order: Order, action: string, body: unknown, headers: Call['headers'] = {}, on = service) =>
  on.call('PATCH', `/v2/orders/${order.id}?action=${action}`, { body, headers })

const signed = (order: Order) => ({ signature: signatureOf(order.source.terms) })

async function send(on: TestService, order: Order, verb: 'initiate' | 'refund', tx: string): Promise<void> {
  await on.db
    .insertInto('actions')
    .values({ key: actionKey(order.id, 'source', verb), order_id: order.id, leg: 'source', verb, wanted: true, last_tx: tx })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ last_tx: tx }))
    .execute()
}

test('initiate: stores the grant, wakes the engine, and returns the hash of its transaction; a repeated call joins', async () => {
  const { order } = await make(orderBody(wbtc, btc), waitingService)
  let woken = 0
  waitingService.world.onWake = () => {
    woken += 1
    void send(waitingService, order, 'initiate', '0xlive')
  }
  const ok = { status: 200, body: { status: 'Ok', error: null, result: '0xlive' } }
  expect(await patch(order, 'initiate', signed(order), {}, waitingService)).toMatchObject(ok)
  expect(woken).toBe(1)
  expect((await findOrder(waitingService.db, order.id))?.grants).toEqual([signedGrant(signatureOf(order.source.terms))])
  expect(await patch(order, 'initiate', signed(order), {}, waitingService)).toMatchObject(ok)
  await waitingService.mine('ethereum_localnet', { height: 10n, time: NOW }, [eventsOf(order.source).initiated('0xmined')])
  expect((await patch(order, 'initiate', signed(order), {}, waitingService)).body.result).toBe('0xmined')
})

test('initiate: 503 if nothing is sent in time; the grant stays, and a later call joins it', async () => {
  const { order } = await make(orderBody(wbtc, btc))
  expect(await patch(order, 'initiate', signed(order))).toMatchObject({ status: 503, body: { code: 'chain_unavailable' } })
  expect((await findOrder(service.db, order.id))?.grants).toHaveLength(1)
  await send(service, order, 'initiate', '0xlater')
  expect((await patch(order, 'initiate', signed(order))).body.result).toBe('0xlater')
})

test('initiate: a new refusal ends the wait; an earlier one does not', async () => {
  const { order } = await make(orderBody(wbtc, btc), waitingService)
  const refuse = (refusal: string) =>
    waitingService.db.updateTable('actions').set({ last_tx: null, refusal }).where('order_id', '=', order.id).execute()
  waitingService.world.onWake = () => void send(waitingService, order, 'initiate', '0xlive')
  await patch(order, 'initiate', signed(order), {}, waitingService)
  await refuse('an earlier refusal')
  waitingService.world.onWake = () => void refuse('it would fail')
  const refused = { status: 409, body: { code: 'conflict', error: expect.stringMatching(/^it would fail; repeat this call/) } }
  expect(await patch(order, 'initiate', signed(order), {}, waitingService)).toMatchObject(refused)
})

test('a closing server ends a waiting call with 503', async () => {
  const closing = await startTestService({ environment: 'local', broadcastWaitMs: 600_000 })
  const { order } = await make(orderBody(wbtc, btc), closing)
  const woken = new Promise<void>((resolve) => {
    closing.world.onWake = resolve
  })
  const waiting = patch(order, 'initiate', signed(order), {}, closing)
  await woken
  await closing.close()
  expect(await waiting).toMatchObject({ status: 503, body: { code: 'chain_unavailable' } })
})

test('initiate is only supported for tokens, on gasless chains, for sponsored apps', async () => {
  const unsupported = { status: 400, body: { code: 'bad_request', error: expect.stringContaining('not supported for initiations') } }
  const { order: deposit } = await make(orderBody(btc, wbtc))
  expect(await patch(deposit, 'initiate', { signature: '0x' })).toMatchObject(unsupported)
  const coin = {
    source: { asset: eth, owner: alice, amount: '2000000000000000' },
    destination: { asset: usdc, owner: bob, amount: '1000000' },
  }
  const { order: native } = await make(coin)
  expect(await patch(native, 'initiate', signed(native))).toMatchObject(unsupported)
  const { order } = await make(orderBody(wbtc, btc))
  await service.db.updateTable('apps').set({ gas_sponsorship: false }).where('name', '=', 'shop').execute()
  expect(await patch(order, 'initiate', signed(order))).toMatchObject(unsupported)
  await service.db.updateTable('apps').set({ gas_sponsorship: true }).where('name', '=', 'shop').execute()
})

test('initiate: a wrong signature, app or state is refused, and nothing is written', async () => {
  const { order } = await make(orderBody(wbtc, btc))
  const { order: other } = await make(orderBody(wbtc, btc))
  const before = await service.countRows()
  const refused = async (body: unknown, status: number, code: string, headers = {}) =>
    expect(await patch(order, 'initiate', body, headers)).toMatchObject({ status, body: { status: 'Error', code } })
  await refused(signed(other), 400, 'invalid_signature')
  await refused({ signature: signatureOf({ ...order.source.terms, initiator: bob }) }, 400, 'invalid_signature')
  await refused({}, 400, 'bad_request')
  await refused({ signature: 5 }, 400, 'bad_request')
  await refused({ signature: [signatureOf(order.source.terms), 5] }, 400, 'bad_request')
  await refused({ signature: [signatureOf(order.source.terms), 'more'] }, 400, 'invalid_signature')
  await refused(signed(order), 403, 'forbidden', { 'service-app-id': service.otherAppId })
  service.world.now = order.deadline - 30n
  await refused(signed(order), 409, 'conflict')
  service.world.now = order.deadline + 1n
  await refused(signed(order), 409, 'conflict')
  expect(await service.countRows()).toEqual(before)
  service.reset()
  await service.mine('ethereum_localnet', { height: 50n, time: NOW }, [eventsOf(order.source).initiated('0xown')])
  await refused(signed(order), 409, 'conflict')
  expect((await findOrder(service.db, order.id))?.grants).toEqual([])
})

test.each([
  ['', 'action is missing'],
  ['?action=', 'action: expected'],
  ['?action=cancel', 'action: expected initiate, redeem, refund or instant-refund, got "cancel"'],
  ['?action=Refund', 'action: expected initiate, redeem, refund or instant-refund, got "Refund"'],
  ['?action=initiate&action=refund', 'action: expected'],
])('PATCH%s is refused without a valid action', async (query, words) => {
  const { order } = await make(orderBody(wbtc, btc))
  const reply = await service.call('PATCH', `/v2/orders/${order.id}${query}`, { body: {} })
  expect(reply).toMatchObject({ status: 400, body: { code: 'bad_request', error: expect.stringContaining(words) } })
})

test('PATCH of an unknown order is 404', async () => {
  expect(await service.call('PATCH', `/v2/orders/${'1'.repeat(64)}?action=refund`, { body: {} })).toMatchObject({ status: 404 })
})

test('refund: refused before the timelock ends or without a deposit, with the reason and the time left', async () => {
  const { order } = await make(orderBody(btc, wbtc))
  const refused = async (words: RegExp) =>
    expect(await patch(order, 'refund', {})).toMatchObject({ status: 409, body: { code: 'conflict', error: expect.stringMatching(words) } })
  await refused(/nothing to refund: no deposit was seen/)
  const { initiated, redeemed } = eventsOf(order.source)
  await service.mine('bitcoin_regtest', { height: 100n, time: NOW }, [initiated('deposit')])
  await refused(/too early .* after 199 more blocks/)
  await service.mine('bitcoin_regtest', { height: 101n, time: NOW }, [redeemed('redeem', '0'.repeat(64))])
  await refused(/nothing to refund: the order is counterparty_redeemed/)
})

test('refund: states the time left in seconds where the chain counts seconds', async () => {
  const { order } = await make(orderBody(wbtc, btc))
  await service.mine('ethereum_localnet', { height: 60n, time: NOW }, [eventsOf(order.source).initiated('0xin')])
  expect((await patch(order, 'refund', {})).body.error).toMatch(/in 1200 seconds/)
  await service.mine('ethereum_localnet', { height: 61n, time: NOW + 1200n }, [])
  const elsewhere = await patch(order, 'refund', { address: bob })
  expect(elsewhere).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  await send(service, order, 'refund', '0xback')
  expect(await patch(order, 'refund', {})).toMatchObject({ status: 200, body: { result: '0xback' } })
})

test('refund: the first address may be set before there is a deposit', async () => {
  const body = orderBody(btc, wbtc)
  const { order, token } = await make({ ...body, source: { ...body.source, owner: undefined } })
  const addressOf = async () => (await findOrder(service.db, order.id))?.order.source.userAddress
  const wrong = await patch(order, 'refund', { address: aliceScript, order_token: '0'.repeat(64) })
  expect(wrong).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  expect(await addressOf()).toBe(null)
  expect(await patch(order, 'refund', { address: aliceScript, order_token: token })).toMatchObject({ status: 200, body: { result: '' } })
  expect(await addressOf()).toBe(aliceScript)
  const moved = await patch(order, 'refund', { address: 'fake1malloryaaa', order_token: token })
  expect(moved.status).toBe(403)
  expect(await addressOf()).toBe(aliceScript)
})

test('refund: the first address needs the order token and is set only once', async () => {
  const body = orderBody(btc, wbtc)
  const { order, token } = await make({ ...body, source: { ...body.source, owner: undefined } })
  const addressOf = async () => (await findOrder(service.db, order.id))?.order.source.userAddress
  await service.mine('bitcoin_regtest', { height: 1000n, time: NOW }, [eventsOf(order.source).initiated('deposit-2')])
  expect(await patch(order, 'refund', {})).toMatchObject({ status: 409 })
  await service.mine('bitcoin_regtest', { height: 1199n, time: NOW }, [])

  const refused = async (ask: object, status: number, code: string, headers = {}) => {
    expect(await patch(order, 'refund', ask, headers)).toMatchObject({ status, body: { status: 'Error', code } })
    expect(await addressOf()).toBe(null)
  }
  await refused({}, 400, 'bad_request')
  await refused({ address: aliceScript }, 403, 'forbidden')
  await refused({ address: aliceScript, order_token: '0'.repeat(64) }, 403, 'forbidden')
  await refused({ address: aliceScript, order_token: 'é' }, 403, 'forbidden')
  await refused({ address: aliceScript, order_token: '\u0000é' }, 400, 'bad_request')
  await refused({ address: 'nowhere', order_token: token }, 400, 'invalid_address')
  await refused({ address: aliceScript, order_token: token }, 403, 'forbidden', { 'service-app-id': service.otherAppId })

  let woken = false
  service.world.onWake = () => {
    woken = true
  }
  expect(await patch(order, 'refund', { address: aliceScript }, { 'order-token': token })).toMatchObject({ status: 503 })
  expect({ woken, address: await addressOf() }).toEqual({ woken: true, address: aliceScript })
  await send(service, order, 'refund', 'refund-1')
  expect((await patch(order, 'refund', undefined)).body.result).toBe('refund-1')
  const moved = await patch(order, 'refund', { address: 'fake1malloryaaa', order_token: token })
  expect(moved).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  await service.mine('bitcoin_regtest', { height: 1200n, time: NOW }, [
    { ...eventsOf(order.source).refunded('refund-2'), deposit: order.source.swapId },
  ])
  expect((await patch(order, 'refund', {})).body.result).toBe('refund-2')
})

test('refund: a call for a later deposit waits for its own transaction, not for that of the first', async () => {
  const { order } = await make(orderBody(btc, wbtc), waitingService)
  const { initiated, refunded } = eventsOf(order.source)
  await waitingService.mine('bitcoin_regtest', { height: 100n, time: NOW }, [{ ...initiated('first', 50_000n), deposit: 'first' }])
  await waitingService.mine('bitcoin_regtest', { height: 101n, time: NOW }, [{ ...initiated('second', 60_000n), deposit: 'second' }])
  await waitingService.mine('bitcoin_regtest', { height: 400n, time: NOW }, [{ ...refunded('first-back'), deposit: 'first' }])
  await send(waitingService, order, 'refund', 'first-back')
  waitingService.world.onWake = () => void send(waitingService, order, 'refund', 'second-back')
  expect((await patch(order, 'refund', {}, {}, waitingService)).body.result).toBe('second-back')
})
