/** docs/events.md has the rule: the status that the service shows is the status of the newest event of that order. */

import { localRegistry } from '@tandem/families/local-registry.fixture.ts'
import { localChains } from '@tandem/families/registry.ts'
import { reconcile } from '@tandem/party/engine/reconciler.ts'
import { readCursor, recordPoll, rewind } from '@tandem/party/store/chain/events.ts'
import { numberEvents } from '@tandem/party/store/events/order-events.ts'
import { expireListed } from '@tandem/party/store/order-list/order-list.ts'
import { storedOrder } from '@tandem/party/store/store.fixture.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { Leg, Order } from '@tandem/protocol/order.ts'
import type { OrderStatus } from '@tandem/protocol/state.ts'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import type { OrderList } from '@tandem/protocol/wire/order-list.ts'
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { readEvents } from '../testing/event-reader.fixture.ts'
import { btc, deployments, eventsOf, NOW, orderBody, sharedService, wbtc } from '../testing/service.fixture.ts'

const registry = localRegistry(deployments)

const service = sharedService()

async function createOrder(): Promise<Order> {
  const { body } = await service.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })
  return (await storedOrder(service.db, (body.result as { readonly order_id: string }).order_id)).order
}

const heights = { source: 1000n, destination: 1000n }

async function record(order: Order, leg: Leg, event: HtlcEvent | null, isMined: boolean): Promise<void> {
  const { chain } = order[leg]
  heights[leg] += 1n
  const height = heights[leg]
  const block: Block = { height, hash: `${leg}-${height}`, parentHash: '', time: service.world.now }
  const mined = event === null || !isMined ? [] : [{ ...event, block: { height, hash: block.hash, time: block.time } }]
  const unconfirmed = event === null || isMined ? [] : [event]
  await recordPoll(service.db, { chain, after: await readCursor(service.db, chain), blocks: [block], events: mined, unconfirmed })
}

async function reorg(order: Order, leg: Leg): Promise<void> {
  const { chain } = order[leg]
  const blocks = await service.db.selectFrom('blocks').selectAll().where('chain', '=', chain).orderBy('height', 'desc').limit(2).execute()
  const ancestor = blocks[1]
  if (ancestor === undefined) return
  const { height, hash, parent_hash: parentHash, time } = ancestor
  await rewind(service.db, chain, { height: BigInt(height), hash, parentHash, time: BigInt(time) })
}

const steps = {
  async funded(order: Order, isMined: boolean) {
    await record(order, 'source', eventsOf(order.source).initiated(`0xfund-${order.id}`), isMined)
  },
  async paid(order: Order, isMined: boolean) {
    await record(order, 'destination', eventsOf(order.destination).initiated(`0xpaid-${order.id}`), isMined)
  },
  async redeemed(order: Order, isMined: boolean) {
    await record(order, 'destination', eventsOf(order.destination).redeemed(`0xredeem-${order.id}`, await secretOf(order)), isMined)
  },
  async collected(order: Order, isMined: boolean) {
    await record(order, 'source', eventsOf(order.source).redeemed(`0xcollect-${order.id}`, await secretOf(order)), isMined)
  },
  async refunded(order: Order, isMined: boolean) {
    await record(order, 'source', eventsOf(order.source).refunded(`0xrefund-${order.id}`), isMined)
  },
  async takenBack(order: Order, isMined: boolean) {
    await record(order, 'destination', eventsOf(order.destination).refunded(`0xback-${order.id}`), isMined)
  },
  sourceBlock: (order: Order) => record(order, 'source', null, true),
  destinationBlock: (order: Order) => record(order, 'destination', null, true),
  sourceReorg: (order: Order) => reorg(order, 'source'),
  destinationReorg: (order: Order) => reorg(order, 'destination'),
  async hourLater() {
    service.world.now += 3600n
  },
  async engine() {
    const party = { role: 'service' } as const
    while ((await reconcile({ db: service.db, registry, party }, service.world.now)).more);
  },
  async expiry() {
    const chains = localChains.map(({ id }) => id)
    await expireListed(service.db, chains, service.world.now)
  },
}
type Step = keyof typeof steps

async function secretOf({ id }: Order): Promise<string> {
  const secret = await service.vault.get(service.db, id, 'secret')
  if (secret === null) throw new Error('no secret')
  return secret
}

async function eventStatuses({ id }: Order): Promise<readonly string[]> {
  await numberEvents(service.db)
  const rows = await service.db.selectFrom('order_events').select('status').where('order_id', '=', id).orderBy('id').execute()
  return rows.map(({ status }) => status)
}

async function shown({ id }: Order): Promise<OrderStatus> {
  return ((await service.call('GET', `/v2/orders/${id}`)).body.result as OrderRecord).status
}

async function shownInList({ id, source }: Order): Promise<OrderStatus | undefined> {
  const { body } = await service.call('GET', `/v2/orders?secret_hash=${source.terms.secretHash}`)
  return (body.result as OrderList).data.find(({ order_id }) => order_id === id)?.status
}

/** After each step the shown status must be that of the newest event, and no event may be there twice in a row. */
async function run(
  taken: readonly (readonly [step: Step, isMined: boolean, look: 'order' | 'list' | 'none'])[],
): Promise<readonly string[]> {
  service.world.now = NOW
  const order = await createOrder()
  const seen: string[] = ['created']
  for (const [step, isMined, look] of taken) {
    await steps[step](order, isMined)
    if (look === 'none') continue
    const status = look === 'list' ? await shownInList(order) : await shown(order)
    const events = await eventStatuses(order)
    expect(events.at(-1)).toBe(status)
    if (status !== undefined && status !== seen.at(-1)) seen.push(status)
  }
  await steps.engine()
  const events = await eventStatuses(order)
  expect(events.filter((status, index) => status === events[index - 1])).toEqual([])
  expect(isWithin(seen, events)).toBe(true)
  expect(await shown(order)).toBe(events.at(-1))
  return events
}

/** Returns true if `whole` has all of `part` in this order, with others in between. */
function isWithin(part: readonly string[], whole: readonly string[]): boolean {
  let found = 0
  for (const one of whole) if (one === part[found]) found += 1
  return found === part.length
}

function permutations<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length < 2) return [items]
  return items.flatMap((item, index) => permutations(items.filter((_, other) => other !== index)).map((rest) => [item, ...rest]))
}

const facts = ['funded', 'paid', 'redeemed', 'collected'] as const

test.each(permutations(facts).map((order) => [order.join(', '), order] as const))(
  'each status that is shown has its event: %s',
  async (_, order) => {
    for (const look of ['order', 'list'] as const) {
      const events = await run(order.map((step) => [step, true, look] as const))
      expect(events.at(-1)).toBe('counterparty_redeemed')
    }
  },
)

test('whatever happens in whatever order, with and without an engine in between', async () => {
  const step = fc.tuple(
    fc.constantFrom(...(Object.keys(steps) as Step[])),
    fc.boolean(),
    fc.constantFrom('order' as const, 'list' as const, 'none' as const),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (taken) => {
      await run(taken)
    }),
    { numRuns: 60 },
  )
})

test('a status that only a reader saw is in the stream of the order', async () => {
  service.world.now = NOW
  const order = await createOrder()
  const reader = await readEvents(`${service.url}/v2/orders/${order.id}/events`, { 'service-app-id': service.appId })
  try {
    await steps.funded(order, true)
    await steps.paid(order, true)
    await steps.redeemed(order, true)
    expect(await shown(order)).toBe('redeemed')
    await steps.collected(order, true)
    await steps.engine()
    const statuses = [await reader.next(), await reader.next(), await reader.next()].map(({ data }) => (data as { status: string }).status)
    expect(statuses).toEqual(['created', 'redeemed', 'counterparty_redeemed'])
  } finally {
    reader.close()
  }
})

test('with a database that cannot be written, the status that has its event is shown', async () => {
  service.world.now = NOW
  const order = await createOrder()
  await steps.funded(order, true)
  await sql`create function refuse_write() returns trigger language plpgsql as $$ begin raise 'disk full'; end $$`.execute(service.db)
  await sql`create trigger refuse before update on order_list for each statement execute function refuse_write()`.execute(service.db)
  try {
    expect(await shown(order)).toBe('created')
  } finally {
    await sql`drop trigger refuse on order_list`.execute(service.db)
    await sql`drop function refuse_write`.execute(service.db)
  }
  expect(await shown(order)).not.toBe('created')
})
