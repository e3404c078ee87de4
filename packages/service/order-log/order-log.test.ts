/** The life of orders in the log. */

import { localRegistry } from '@tandem/families/local-registry.fixture.ts'
import { storedOrder } from '@tandem/party/store/store.fixture.ts'
import type { OrderStatus } from '@tandem/protocol/state.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { btc, deployments, eventsOf, NOW, orderBody, sharedService, wbtc } from '../testing/service.fixture.ts'
import { type OrderLog, startOrderLog } from './order-log.ts'

const service = sharedService()
const running: OrderLog[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
  await sql`delete from leases`.execute(service.db)
})

const registry = localRegistry(deployments)

type Line = { readonly level: string; readonly msg: string; readonly order: string; readonly tx?: string; readonly why?: string }

function start(onStep?: (from: OrderStatus, to: OrderStatus, seconds: number) => void) {
  const lines: Line[] = []
  const log = createLogger({ name: 'test', pretty: false, destination: { write: (line) => void lines.push(JSON.parse(line)) } })
  const orderLog = startOrderLog({ db: service.db, registry, log, now: () => NOW, cooldownMs: 1, ...(onStep !== undefined && { onStep }) })
  running.push(orderLog)
  return {
    lines,
    begun: orderLog.begun,
    told: (order: string) => {
      orderLog.wake()
      return lines.filter((line) => line.order === order).map(({ msg }) => msg)
    },
  }
}

async function makeOrder() {
  const { body } = await service.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })
  return (await storedOrder(service.db, (body.result as { order_id: string }).order_id)).order
}

/** The reconciler writes the status like this. */
const become = (order: string, status: OrderStatus) =>
  sql`update order_list set status = ${status} where order_id = ${order}`.execute(service.db)

test('each step of an order is one line at info level, with its transaction', async () => {
  const steps: string[] = []
  const log = start((from, to) => steps.push(`${from} ${to}`))
  await log.begun
  const order = await makeOrder()
  await expect.poll(() => log.told(order.id)).toEqual(['order created'])
  await service.mine(order.source.chain, { height: 1n, time: NOW }, [eventsOf(order.source).initiated('aa01')])
  await become(order.id, 'initiated')
  await expect.poll(() => log.told(order.id)).toEqual(['order created', 'order: deposit confirmed'])
  await become(order.id, 'redeemed')
  await expect.poll(() => log.told(order.id).at(-1)).toBe('order: redeemed, the user is paid')
  const own = log.lines.filter((line) => line.order === order.id)
  expect(own.every(({ level }) => level === 'info')).toBe(true)
  expect(own[0]).toMatchObject({ from: '0.01 bitcoin_regtest:btc', to: '0.0099 ethereum_localnet:wbtc', app: 'shop', solver: 'first' })
  expect(own[1]).toMatchObject({ tx: 'aa01', after: expect.stringMatching(/^\d+\.\ds$/) })
  expect(steps).toEqual(expect.arrayContaining(['created initiated', 'initiated redeemed']))
})

test('an order that cannot complete says why', async () => {
  const log = start()
  await log.begun
  const order = await makeOrder()
  const tooMuch = order.source.terms.amount * 2n
  await service.mine(order.source.chain, { height: 2n, time: NOW }, [eventsOf(order.source).initiated('aa02', tooMuch)])
  await become(order.id, 'awaiting_refund')
  await expect
    .poll(() => {
      log.told(order.id)
      return log.lines.find((line) => line.order === order.id && line.why !== undefined)
    })
    .toMatchObject({
      msg: 'order cannot complete: its deposit will be refunded',
      why: `the deposits add up to ${tooMuch}, the agreed amount is ${order.source.terms.amount}`,
    })
})

test('of several processes one tells it', async () => {
  const first = start()
  await first.begun
  const second = start()
  await second.begun
  const order = await makeOrder()
  await expect.poll(() => first.told(order.id)).toEqual(['order created'])
  second.told(order.id)
  await become(order.id, 'expired')
  await expect.poll(() => first.told(order.id).length).toBe(2)
  expect(second.told(order.id)).toEqual([])
})
