import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { OrderStatus } from '../../protocol/state.ts'
import { type EventReader, readEvents } from '../testing/event-reader.fixture.ts'
import { btc, orderBody, startTestService, type TestService, wbtc } from '../testing/service.fixture.ts'

let service: TestService
let opened: EventReader[] = []
beforeAll(async () => {
  service = await startTestService({ environment: 'local', streamLimits: { perProcess: 6, perApp: 4, perAddress: 5 } })
})
afterEach(() => {
  for (const reader of opened) reader.close()
  opened = []
})
afterAll(() => service.close())

async function follow(path: string, headers: Readonly<Record<string, string>> = {}): Promise<EventReader> {
  const reader = await readEvents(`${service.url}/v2${path}`, { 'service-app-id': service.appId, ...headers })
  opened.push(reader)
  return reader
}

async function createOrder(): Promise<string> {
  const { body } = await service.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })
  return (body.result as { readonly order_id: string }).order_id
}

/** As the reconciler writes it. */
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
