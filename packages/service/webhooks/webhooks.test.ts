/** Tests that each change is delivered once, and that a bad endpoint delays no other. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { localRegistry } from '@tandem/families/local-registry.fixture.ts'
import { finishDelivery, pruneDeliveries, replayDead, replaySince, takeDeliveries } from '@tandem/party/store/webhooks/deliveries.ts'
import { addWebhook, listWebhooks, rotateWebhook } from '@tandem/party/store/webhooks/webhooks.ts'
import type { OrderStatus } from '@tandem/protocol/state.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { btc, deployments, orderBody, startTestService, type TestService, wbtc } from '../testing/service.fixture.ts'
import { startWebhookWorker, type WebhookWorker } from './webhook-worker.ts'

type Received = { readonly headers: Record<string, string>; readonly body: string }
type Answer = (request: Received, response: ServerResponse) => void

let service: TestService
let workers: WebhookWorker[] = []
let servers: Server[] = []
beforeEach(async () => {
  service = await startTestService()
})
afterEach(async () => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
  await Promise.all(workers.map((worker) => worker.stop()))
  await service.close()
  ;[workers, servers] = [[], []]
})

const clock = () => BigInt(Math.floor(Date.now() / 1000))

function startWorker(): WebhookWorker {
  const registry = localRegistry(deployments)
  const log = createLogger({ name: 'test', level: 'silent' })
  const worker = startWebhookWorker({ db: service.db, vault: service.vault, registry, now: clock, log, allowPrivate: true })
  workers.push(worker)
  return worker
}

async function endpoint(
  answer: Answer = (_request, response) => response.end(),
): Promise<{ readonly url: string; readonly received: Received[] }> {
  const received: Received[] = []
  const server = createServer((request: IncomingMessage, response) => {
    void request.toArray().then((chunks) => {
      const one = { headers: request.headers as Record<string, string>, body: Buffer.concat(chunks as Buffer[]).toString() }
      received.push(one)
      answer(one, response)
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received }
}

async function createOrder(): Promise<string> {
  const { body } = await service.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })
  return (body.result as { readonly order_id: string }).order_id
}

const setStatus = (orderId: string, status: OrderStatus) =>
  service.db.updateTable('order_list').set({ status }).where('order_id', '=', orderId).execute()

const eventually = (what: () => unknown) =>
  expect.poll(
    () => {
      for (const worker of workers) worker.wake()
      return what()
    },
    { timeout: 60_000, interval: 50 },
  )
const statusesOf = (received: readonly Received[]) => received.map(({ body }) => JSON.parse(body).data.status)
/** The rows look as they would after some time. */
const passTime = () =>
  sql`update webhooks set resume_at = now()`
    .execute(service.db)
    .then(() => sql`update webhook_deliveries set due_at = now() where dead_at is null`.execute(service.db))

test('each change is delivered once by two processes, in order, signed as an unmodified library expects, also after a rotation', async () => {
  const { url, received } = await endpoint()
  const { id, secret } = await addWebhook(service.db, service.vault, 'shop', url)
  startWorker()
  startWorker()
  const orderId = await createOrder()
  for (const status of ['initiate_detected', 'initiated', 'redeemed'] as const) await setStatus(orderId, status)
  await eventually(() => statusesOf(received)).toEqual(['created', 'initiate_detected', 'initiated', 'redeemed'])
  const [first] = received
  expect(new Webhook(secret).verify(first?.body ?? '', first?.headers ?? {})).toMatchObject({
    type: 'order.status_changed',
    data: { order_id: orderId, status: 'created', order: { order_id: orderId } },
  })
  expect(() => new Webhook(secret).verify(`${first?.body} `, first?.headers ?? {})).toThrow()
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(4)
  const next = await rotateWebhook(service.db, service.vault, id)
  await setStatus(orderId, 'refunded')
  await eventually(() => received.length).toBe(5)
  for (const one of [secret, next]) new Webhook(one).verify(received[4]?.body ?? '', received[4]?.headers ?? {})
  expect(JSON.stringify(await service.db.selectFrom('webhooks').selectAll().execute())).not.toContain(Buffer.from(secret).toString('hex'))
  expect(await listWebhooks(service.db)).toMatchObject([{ pending: 0, dead: 0, failures: 0 }])
})

test('an endpoint that redirects, fails, hangs or answers without end holds up no other; its messages are retried with their ids', async () => {
  const target = await endpoint()
  let isDown = true
  const flaky = await endpoint((_request, response) => {
    response.statusCode = isDown ? 500 : 204
    response.end()
  })
  const redirecting = await endpoint((_request, response) => response.writeHead(307, { location: target.url }).end())
  const hanging = await endpoint(() => undefined)
  const endless = await endpoint((_request, response) => {
    const write = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    }
    response.on('drain', write)
    write()
  })
  for (const { url } of [flaky, redirecting, hanging, endless, target]) await addWebhook(service.db, service.vault, 'shop', url)
  startWorker()
  const orderId = await createOrder()
  await setStatus(orderId, 'initiated')
  await eventually(() => statusesOf(target.received)).toEqual(['created', 'initiated'])
  await eventually(() => statusesOf(endless.received)).toEqual(['created', 'initiated'])
  await eventually(() => [flaky, redirecting, hanging].map(({ received }) => received.length >= 1)).toEqual([true, true, true])
  await eventually(async () => (await listWebhooks(service.db)).find(({ url }) => url === flaky.url)?.failures).toBeGreaterThan(0)
  isDown = false
  await passTime()
  await eventually(() => statusesOf(flaky.received).at(-1)).toBe('initiated')
  const ofFirst = flaky.received
    .filter(({ body }) => JSON.parse(body).data.status === 'created')
    .map(({ headers }) => headers['webhook-id'])
  expect(new Set(ofFirst).size).toBe(1)
  expect(statusesOf(redirecting.received)).not.toContain('initiated')
})

test('messages that were not delivered for three days are given up and kept, and can be replayed; so can the events of a period', async () => {
  let isDown = true
  const { url, received } = await endpoint((_request, response) => {
    response.statusCode = isDown ? 503 : 200
    response.end()
  })
  const { id } = await addWebhook(service.db, service.vault, 'shop', url)
  const began = new Date(Date.now() - 60_000)
  startWorker()
  await createOrder()
  await eventually(async () => (await listWebhooks(service.db))[0]?.failures).toBeGreaterThan(0)
  await sql`update webhook_deliveries set tried_since = now() - interval '73 hours'`.execute(service.db)
  await pruneDeliveries(service.db)
  expect(await listWebhooks(service.db)).toMatchObject([{ pending: 0, dead: 1 }])
  isDown = false
  const before = received.length
  expect(await replayDead(service.db, id)).toBe(1)
  await passTime()
  await eventually(() => received.length).toBe(before + 1)
  await eventually(async () => (await listWebhooks(service.db))[0]).toMatchObject({ pending: 0, dead: 0 })
  expect(await replaySince(service.db, id, began)).toBe(1)
  await eventually(() => received.length).toBe(before + 2)
})

test('anyone who makes orders cannot fill the queue of an endpoint that is down; what was paid for stays', async () => {
  const { id } = await addWebhook(service.db, service.vault, 'shop', 'https://down.example')
  const insert = (order: string, status: string) =>
    sql`insert into webhook_deliveries (webhook_id, order_id, status, at) values (${id}, ${order}, ${status}, now())`.execute(service.db)
  for (const [order, status] of [
    ['a', 'created'],
    ['a', 'initiated'],
    ['b', 'created'],
    ['c', 'created'],
    ['b', 'expired'],
  ] as const)
    await insert(order, status)
  await pruneDeliveries(service.db, { maxPending: 2 })
  const { rows } = await sql<{ what: string }>`select order_id || ' ' || status as what from webhook_deliveries order by id`.execute(
    service.db,
  )
  expect(rows.map(({ what }) => what)).toEqual(['a initiated', 'c created', 'b expired'])
})

test('messages about orders that nobody paid do not delay those about paid ones, whose own order is kept', async () => {
  const { url } = await endpoint()
  const { id } = await addWebhook(service.db, service.vault, 'shop', url)
  const waiting = (orderId: string, status: OrderStatus) =>
    service.db.insertInto('webhook_deliveries').values({ webhook_id: id, order_id: orderId, status, at: new Date() }).execute()
  for (let stranger = 0; stranger < 30; stranger += 1) await waiting(`stranger ${stranger}`, 'created')
  for (const status of ['created', 'initiate_detected', 'initiated'] as const) await waiting('paid', status)
  const takeAll = async () => {
    const taken = await takeDeliveries(service.db, false, [], 64)
    for (const delivery of taken) await finishDelivery(service.db, delivery)
    return taken.map(({ orderId, status }) => `${orderId} ${status}`)
  }
  const rounds = [await takeAll(), await takeAll(), await takeAll(), await takeAll()]
  expect(rounds.map((round) => round.filter((message) => message.startsWith('paid')))).toEqual([
    ['paid created'],
    ['paid initiate_detected'],
    ['paid initiated'],
    [],
  ])
  // The others go on meanwhile, the oldest first.
  expect(rounds.map((round) => round.length)).toEqual([8, 8, 8, 8])
  expect(rounds[0]).toContain('stranger 0 created')
})
