/** Measures GET /orders over a million orders: every filter, at the front of the list and deep inside. */

import { Agent, get } from 'node:http'
import { environments } from '@tandem/families/registry.ts'
import { createApp } from '@tandem/party/store/apps/apps.ts'
import { type Database, openDatabase } from '@tandem/party/store/database/database.ts'
import { findOrder } from '@tandem/party/store/orders/orders.ts'
import { sealSwaps } from '@tandem/party/store/orders/swap-seals.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import { createRegistry } from '@tandem/protocol/registry/registry.ts'
import { CALM } from '@tandem/service/api/load/calm.fixture.ts'
import { sql } from 'kysely'
import { benchVault, listen } from './api/listen.ts'
import { type Bench, percentile, ratio, type Size, withCommas } from './bench.ts'
import { BUSY_OWNER, seededChains, seedOrders, sourceTx } from './seed-orders.ts'
import { withDatabase } from './with-database.ts'

const LISTS_LIMIT_MS = 50
const SEEDED_ORDERS = { full: 1_000_000, smallest: 5_000 }

type ListRow = {
  readonly filter: string
  readonly place: 'first pages' | 'deep pages' | 'one order'
  readonly found: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** A trivial request after every list: the machine's own latency at that moment. */
const YARDSTICK = 'for comparison: GET /orders/{id}'

const NOW = 1_800_000_000n
const REQUESTS = { full: 200, smallest: 2 }
const WARM_UP = { full: 20, smallest: 1 }
const PER_PAGE = 10

/** Queries of each kind in turn, so that no single cached answer is measured. */
type Case = { readonly filter: string; readonly queries: readonly string[]; readonly perPage?: number }

type Get = (path: string) => Promise<{ readonly total_items: number; readonly data: readonly { readonly order_id: string }[] }>

async function measureLists(size: Size, onProgress: (what: string) => void): Promise<ListRow[]> {
  onProgress('starting the database')
  return withDatabase('lists', async ({ createDatabase, atEnd }) => {
    const db = await openDatabase(await createDatabase('lists'))
    atEnd(() => db.destroy())
    const { appId } = await createApp(db, 'shop')
    for (const name of ['rival', 'kiosk']) await createApp(db, name)
    await seedOrders(db, { orders: SEEDED_ORDERS[size], environment: 'testnet', now: NOW, apps: ['shop', 'rival', 'kiosk'] }, onProgress)
    const service = await startService(db, appId)
    atEnd(service.close)
    const rows: ListRow[] = []
    const yardstick: number[] = []
    const compare = async (orderId: string) => {
      await sealSeeded(db, orderId)
      const startedAt = performance.now()
      await service.get(`/v2/orders/${orderId}`)
      yardstick.push(performance.now() - startedAt)
    }
    for (const asked of await listCases(db))
      rows.push(...(await measure(asked, { requests: REQUESTS[size], warmUp: WARM_UP[size] }, service.get, compare, onProgress)))
    return [...rows, { filter: YARDSTICK, place: 'one order', found: 1, ...summary(yardstick) }]
  })
}

/** A million orders are made by statements, which have no key to seal with. */
async function sealSeeded(db: Database, orderId: string): Promise<void> {
  const stored = await findOrder(db, orderId)
  if (stored === null) throw new Error(`there is no order ${orderId}`)
  for (const [leg, seal] of Object.entries(sealSwaps(benchVault, stored)))
    await db
      .updateTable('swaps')
      .set({ seal })
      .where('order_id', '=', orderId)
      .where('leg', '=', leg as Leg)
      .execute()
}

async function startService(db: Database, appId: string): Promise<{ readonly get: Get; close(): Promise<void> }> {
  const { chains, assets } = environments.testnet
  const { url, close } = await listen({
    db,
    registry: createRegistry({ chains, assets, deployments: {}, served: new Set() }),
    clients: new Map(),
    solvers: [],
    now: () => NOW,
    load: CALM,
    environment: 'testnet',
  })
  const agent = new Agent({ keepAlive: true })
  return {
    get: (path) =>
      new Promise((resolve, reject) => {
        get(`${url}${path}`, { agent, headers: { 'service-app-id': appId } }, (response) => {
          response
            .toArray()
            .then((chunks) => {
              const text = Buffer.concat(chunks).toString('utf8')
              if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode} ${text}`)
              resolve(JSON.parse(text).result)
            })
            .catch(reject)
        }).on('error', reject)
      }),
    async close() {
      agent.destroy()
      await close()
    },
  }
}

async function listCases(db: Database): Promise<readonly Case[]> {
  const chains = seededChains('testnet')
  const { rows: owners } = await sql<{ from_owner: string; to_owner: string }>`
    select from_owner, to_owner from order_list where from_owner <> ${BUSY_OWNER} order by md5(order_id) limit 100`.execute(db)
  const { rows: txs } = await sql<{ tx: string }>`
    select ${sql.raw(sourceTx)} as tx from (select seq as n from order_list where seq % 4 = 0 and status = 'counterparty_redeemed'
      order by md5(order_id) limit 100) as some_orders`.execute(db)
  const each = (name: string, values: readonly string[]) => values.map((value) => `${name}=${value}`)
  const statuses = ['completed', 'refunded', 'expired', 'in-progress', 'display', 'not-initiated', 'awaiting_refund', 'completed,refunded']
  return [
    { filter: 'none', queries: [''] },
    { filter: 'status', queries: each('status', statuses) },
    { filter: 'from_chain', queries: each('from_chain', chains) },
    { filter: 'to_chain', queries: each('to_chain', chains) },
    { filter: 'solver_id', queries: each('solver_id', ['first', 'second', 'third', 'first,third']) },
    { filter: 'integrator', queries: ['integrator=shop'] },
    { filter: 'address', queries: owners.map(({ from_owner }) => `address=${from_owner}`) },
    { filter: 'from_owner', queries: owners.map(({ from_owner }) => `from_owner=${from_owner}`) },
    { filter: 'to_owner', queries: owners.map(({ to_owner }) => `to_owner=${to_owner}`) },
    { filter: 'address of a busy owner', queries: [`address=${BUSY_OWNER}`] },
    { filter: 'from_owner, busy', queries: [`from_owner=${BUSY_OWNER}`] },
    { filter: 'to_owner, busy', queries: [`to_owner=${BUSY_OWNER}`] },
    { filter: 'address of a busy owner + status', queries: each(`address=${BUSY_OWNER}&status`, ['completed', 'refunded']) },
    { filter: 'tx_hash', queries: txs.map(({ tx }) => `tx_hash=${tx}`) },
    { filter: 'status + from_chain', queries: chains.flatMap((chain) => each(`from_chain=${chain}&status`, ['completed', 'refunded'])) },
    { filter: 'status + to_chain + solver_id', queries: chains.map((chain) => `to_chain=${chain}&status=expired&solver_id=second`) },
    { filter: 'from_chain + to_chain', queries: chains.map((chain, n) => `from_chain=${chain}&to_chain=${chains.at(n - 1)}`) },
    { filter: 'none, 100 a page', queries: [''], perPage: 100 },
    { filter: 'a rare status, 100 a page', queries: ['status=awaiting_refund'], perPage: 100 },
  ]
}

function summary(times: readonly number[]): Pick<ListRow, 'p50Ms' | 'p99Ms'> {
  return { p50Ms: percentile(times, 50), p99Ms: percentile(times, 99) }
}

type Rounds = { readonly requests: number; readonly warmUp: number }

async function measure(
  asked: Case,
  { requests, warmUp }: Rounds,
  ask: Get,
  compare: (orderId: string) => Promise<void>,
  onProgress: (what: string) => void,
): Promise<readonly ListRow[]> {
  const perPage = asked.perPage ?? PER_PAGE
  const queries = asked.queries.slice(0, warmUp + requests)
  const totals = new Map<string, number>()
  for (const query of queries) totals.set(query, (await ask(`/v2/orders?${query}`)).total_items)
  const measureAt = async (place: ListRow['place']): Promise<ListRow> => {
    onProgress(`${asked.filter}, ${place}`)
    const times: number[] = []
    for (let n = -warmUp; n < requests; n += 1) {
      const query = queries[(n + warmUp) % queries.length] ?? ''
      const pages = Math.max(1, Math.ceil((totals.get(query) ?? 0) / perPage))
      // Deep: from the middle of the list to its very end.
      const page =
        place === 'first pages' ? 1 + ((n + warmUp) % Math.min(10, pages)) : pages - Math.floor((pages * ((n + warmUp) % 50)) / 100)
      const startedAt = performance.now()
      const { data } = await ask(`/v2/orders?${query}&page=${page}&per_page=${perPage}`)
      if (n >= 0) times.push(performance.now() - startedAt)
      const [shown] = data
      if (shown !== undefined) await compare(shown.order_id)
      else if ((totals.get(query) ?? 0) > 0) throw new Error(`${query}: page ${page} of ${pages} is empty`)
    }
    const found = Math.max(...totals.values())
    return { filter: asked.filter, place, found, ...summary(times) }
  }
  const front = await measureAt('first pages')
  return front.found > 10 * perPage ? [front, await measureAt('deep pages')] : [front]
}

export const listsBench: Bench = {
  name: 'lists',
  about: `GET /orders over ${withCommas(SEEDED_ORDERS.full)} orders, limit ${LISTS_LIMIT_MS} ms at the 99th percentile`,
  conditions: `${withCommas(SEEDED_ORDERS.full)} orders, 950,000 of them of the app that asks, 20,000 of one busy owner; through HTTP, one request after the other, 10 orders a page unless said. Deep: the older half of what is found, to its last page.`,
  async run({ size, onProgress }) {
    const rows = await measureLists(size, onProgress)
    return {
      ok: rows.every((row) => row.filter === YARDSTICK || row.p99Ms <= LISTS_LIMIT_MS),
      table: {
        columns: ['filter', 'place', 'orders found', 'p50 ms', 'p99 ms', 'limit ms', 'ratio'],
        rows: rows.map((row) => [
          row.filter,
          row.place,
          row.found,
          row.p50Ms.toFixed(1),
          row.p99Ms.toFixed(1),
          LISTS_LIMIT_MS,
          ratio(row.p99Ms, LISTS_LIMIT_MS),
        ]),
      },
    }
  },
}
