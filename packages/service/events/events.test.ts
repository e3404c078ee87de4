/** Tests the event streams of orders and apps, also after a lost connection. */
import type { ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { setImmediate as tick } from 'node:timers/promises'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import { numberEvents, readNewEvents } from '@tandem/party/store/events/order-events.ts'
import { findOrderSnapshots } from '@tandem/party/store/orders/orders.ts'
import { createRegistry } from '@tandem/protocol/registry/registry.ts'
import type { OrderStatus } from '@tandem/protocol/state.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { afterEach, expect, test } from 'vitest'
import { type EventReader, readEvents } from '../testing/event-reader.fixture.ts'
import { btc, deployments, NOW, orderBody, sharedService, startTestService, wbtc } from '../testing/service.fixture.ts'
import { createEventWriter } from './describe-events.ts'
import { MAX_BUFFERED_BYTES } from './event-stream.ts'
import { createEventStreams } from './event-streams.ts'

const service = sharedService({ environment: 'local', streamLimits: { perProcess: 6, perApp: 4, perAddress: 5 } })
let opened: EventReader[] = []
afterEach(() => {
  for (const reader of opened) reader.close()
  opened = []
})

async function follow(path: string, headers: Readonly<Record<string, string>> = {}): Promise<EventReader> {
  const reader = await readEvents(`${service.url}/v2${path}`, { 'service-app-id': service.appId, ...headers })
  opened.push(reader)
  return reader
}

async function createOrder(): Promise<string> {
  const { body } = await service.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })
  return (body.result as { readonly order_id: string }).order_id
}

/** The reconciler writes the status like this. */
async function setStatus(orderId: string, status: OrderStatus): Promise<void> {
  await service.db.updateTable('order_list').set({ status }).where('order_id', '=', orderId).execute()
}

const of = (orderId: string, status: string) => ({ event: 'message', data: { order_id: orderId, status } })

test('a stream of an order begins with its state, and then has one event for each change of its status', async () => {
  const [orderId, other] = [await createOrder(), await createOrder()]
  const reader = await follow(`/orders/${orderId.toUpperCase()}/events`)
  expect(reader).toMatchObject({
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store, no-transform' },
  })
  const { body } = await service.call('GET', `/v2/orders/${orderId}`)
  expect(await reader.next()).toMatchObject({ data: { order_id: orderId, status: 'created', order: body.result } })
  await setStatus(other, 'initiated')
  await setStatus(orderId, 'initiate_detected')
  await setStatus(orderId, 'initiate_detected')
  await setStatus(orderId, 'initiated')
  expect([await reader.next(), await reader.next()]).toMatchObject([of(orderId, 'initiate_detected'), of(orderId, 'initiated')])
})

test('Last-Event-ID gets every later event of the order, in order and once, also of the time without a connection', async () => {
  const orderId = await createOrder()
  const reader = await follow(`/orders/${orderId}/events`)
  const { id } = await reader.next()
  reader.close()
  for (const status of ['initiate_detected', 'initiated', 'redeemed'] as const) await setStatus(orderId, status)
  const again = await follow(`/orders/${orderId}/events`, { 'last-event-id': id })
  const missed = [await again.next(), await again.next(), await again.next()]
  expect(missed).toMatchObject([of(orderId, 'initiate_detected'), of(orderId, 'initiated'), of(orderId, 'redeemed')])
  await setStatus(orderId, 'refunded')
  expect(await again.next()).toMatchObject(of(orderId, 'refunded'))
  const byQuery = await follow(`/orders/${orderId}/events?last_event_id=${missed[1]?.id}`)
  expect([await byQuery.next(), await byQuery.next()]).toMatchObject([of(orderId, 'redeemed'), of(orderId, 'refunded')])
})

test('a client that missed more than a stream may hold in memory gets all of it', async () => {
  const orderId = await createOrder()
  const reader = await follow(`/orders/${orderId}/events`)
  const { id } = await reader.next()
  reader.close()
  const statuses = Array.from({ length: 250 }, (_, n) => (n % 2 === 0 ? 'initiate_detected' : 'initiated'))
  for (const status of statuses) await setStatus(orderId, status)
  const again = await follow(`/orders/${orderId}/events`, { 'last-event-id': id })
  let bytes = 0
  for (const status of statuses) {
    const event = await again.next()
    expect(event).toMatchObject(of(orderId, status))
    bytes += JSON.stringify(event.data).length
  }
  expect(bytes).toBeGreaterThan(2 * MAX_BUFFERED_BYTES)
})

test('an app follows its own orders only; it may give its id in the query', async () => {
  const reader = await readEvents(`${service.url}/v2/events?app_id=${service.appId}`, {})
  opened.push(reader)
  const rival = await follow('/events', { 'service-app-id': service.otherAppId })
  const orderId = await createOrder()
  await setStatus(orderId, 'initiated')
  expect([await reader.next(), await reader.next()]).toMatchObject([of(orderId, 'created'), of(orderId, 'initiated')])
  expect(rival.waiting).toEqual([])
  expect(await service.call('GET', '/v2/policy?app_id=x', { headers: { 'service-app-id': '' } })).toMatchObject({ status: 401 })
})

test('a hostile Last-Event-ID is refused, or is a position that has nothing', async () => {
  const orderId = await createOrder()
  for (const id of ['-1', 'latest', '1e3', '0x10', '1'.repeat(20), '9223372036854775808', '1, 2', "1' or 1=1"]) {
    const refused = await service.call('GET', `/v2/orders/${orderId}/events`, { headers: { 'last-event-id': id } })
    expect(refused, id).toMatchObject({ status: 400, body: { code: 'bad_request', error: expect.stringContaining('Last-Event-ID') } })
  }
  const future = await follow(`/orders/${orderId}/events`, { 'last-event-id': '9223372036854775807' })
  expect(await future.next()).toMatchObject(of(orderId, 'created'))
  const ofApp = await follow('/events', { 'last-event-id': '9223372036854775807' })
  expect(await ofApp.next()).toMatchObject({ event: 'gap', data: { last_event_id: '9223372036854775807' } })
  await setStatus(orderId, 'initiated')
  expect([await future.next(), await ofApp.next()]).toMatchObject([of(orderId, 'initiated'), of(orderId, 'initiated')])
})

test('streams are bounded for an app, an address and the process; other requests are served', async () => {
  const orderId = await createOrder()
  const path = `/orders/${orderId}/events`
  const rival = { 'service-app-id': service.otherAppId }
  for (let n = 0; n < 4; n++) expect((await follow(path)).status).toBe(200)
  const refused = await service.call('GET', `/v2${path}`)
  expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited', error: expect.stringContaining('4 open') } })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await follow(path, rival)).status).toBe(200)
  expect(await service.call('GET', `/v2${path}`, { headers: rival })).toMatchObject({
    status: 429,
    body: { error: expect.stringContaining('address') },
  })
  expect(await service.call('GET', `/v2/orders/${orderId}`)).toMatchObject({ status: 200 })
  expect(service.logged.join('')).toContain('event streams refused')
  opened.shift()?.close()
  // The server soon sees the end of the first stream.
  await expect.poll(async () => (await follow(path)).status, { interval: 200 }).toBe(200)
})

const log = createLogger({ name: 'test', level: 'silent', pretty: false })
const served = new Set(localChains.map(({ id }) => id))
const described = { registry: createRegistry({ chains: localChains, assets: localAssets, deployments, served }), now: () => NOW }

test('streams that are closed while they wait for their replay no longer count', async () => {
  await createOrder()
  const lastEventId = (await numberEvents(service.db)) - 1n
  const streams = createEventStreams({ ...described, db: service.db, log, limits: { perProcess: 100, perApp: 100, perAddress: 100 } })
  const responses = Array.from({ length: 10 }, () => new PassThrough().resume())
  let waiting = responses.length
  const opens = responses.map(async (response) => {
    const begin = () => response as unknown as ServerResponse
    await streams.open({ app: 'shop', address: '192.0.2.1', lastEventId, readOrder: null, begin })
    waiting -= 1
  })
  await opens[0]
  // The other clients of its network wait in the queue.
  await expect.poll(() => streams.count, { interval: 5 }).toBe(10)
  for (const response of responses) response.destroy()
  await tick()
  await tick()
  // At most two pages are read at once.
  expect(waiting).toBeLessThanOrEqual(2)
  expect(streams.count).toBe(0)
  await Promise.all(opens)
  await streams.close()
})

test('an event has one text for all who get it', async () => {
  const orderId = await createOrder()
  const [snapshot = null] = await findOrderSnapshots(service.db, [orderId])
  const event = (await readNewEvents(service.db, 0n)).findLast((one) => one.orderId === orderId)
  if (event === undefined) throw new Error('a new order has an event')
  const writer = createEventWriter(described, log)
  writer.add(orderId, snapshot)
  const first = writer.write(event)
  expect(first).toMatchObject({ id: event.id, text: expect.stringContaining(orderId) })
  expect(writer.write(event)).toBe(first)
  const next = { ...event, id: event.id + 1n, status: 'initiated' as const }
  expect(writer.write(next)).toMatchObject({ id: next.id, text: expect.stringContaining('"status":"initiated"') })
})

test('unknown orders and apps are refused as by GET /orders/{id}', async () => {
  expect(await service.call('GET', `/v2/orders/${'0'.repeat(64)}/events`)).toMatchObject({ status: 404 })
  expect(await service.call('GET', '/v2/events', { headers: { 'service-app-id': '0'.repeat(64) } })).toMatchObject({ status: 401 })
  expect(await service.call('GET', '/v2/events?since=1')).toMatchObject({ status: 400 })
})

test('a service that stops ends its streams, and says when to come back', async () => {
  const stopping = await startTestService()
  const reader = await readEvents(`${stopping.url}/v2/events`, { 'service-app-id': stopping.appId })
  await stopping.close()
  await reader.ended
  expect(Number(reader.state.retry)).toBeGreaterThanOrEqual(1000)
})
