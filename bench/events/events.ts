/** Very many event streams are open on one process: their cost, their delay after a block, and whether strangers can slow the others. */
import { setTimeout as sleep } from 'node:timers/promises'
import { localChains } from '@tandem/families/registry.ts'
import { createApp } from '@tandem/party/store/apps/apps.ts'
import { type Database, openDatabase } from '@tandem/party/store/database/database.ts'
import { insertOrders } from '@tandem/party/store/orders/insert-orders.ts'
import { exampleOrder } from '@tandem/party/store/store.fixture.ts'
import type { Swap } from '@tandem/protocol/order.ts'
import type { Child } from '../api/child.ts'
import { type Bench, percentile, type Size, withCommas } from '../bench.ts'
import { descendants } from '../processes.ts'
import { withDatabase } from '../with-database.ts'
import type { Opened, ReadersQuestion, Received, Stream } from './readers-child.ts'
import type { EventsServiceReady, Mined, MineQuestion } from './service-child.ts'

const SIZES = {
  full: { streams: 5_000, strangers: 10_000, blocks: 400, everyMs: 50, settleMs: 10_000 },
  smallest: { streams: 40, strangers: 60, blocks: 4, everyMs: 20, settleMs: 0 },
} satisfies Record<Size, unknown>

const MAX_KILOBYTES_EACH = 40
const MAX_P99_MS = 1_000
/** Strangers may add this much memory to the process. */
const MAX_STRANGERS_MEGABYTES = 256

/** This is fewer than the limit of one address. */
const STREAMS_OF_ADDRESS = 50
const ORDERS_AT_ONCE = 500
const [SOURCE, DESTINATION] = ['ethereum_localnet', 'arbitrum_localnet']
/** The ids are the first event, none, and numbers far below and far above all events. */
const HOSTILE_IDS = ['1', null, '0', '9223372036854775807']
const DAY = 86_400n
const POLL_MS = 100
const MEMORY_POLL_MS = 500
const WAIT_MS = 20_000

type Row = {
  readonly what: string
  readonly streams: number
  readonly refused: number
  readonly megabytes: number
  readonly kilobytesEach: number | null
  readonly p50Ms: number
  readonly p99Ms: number
  readonly missing: number
}
type App = { readonly name: string; readonly appId: string }
type FollowedOrder = { readonly id: string; readonly swapId: string; readonly amount: string; readonly app: App }
type Readers = Child<unknown>

async function measureEvents(size: Size, onProgress: (what: string) => void): Promise<readonly Row[]> {
  const { streams, strangers, blocks, everyMs, settleMs } = SIZES[size]
  onProgress('starting database and service')
  return withDatabase('events', async ({ createDatabase, start, atEnd }) => {
    const databaseUrl = await createDatabase('events')
    const db = await openDatabase(databaseUrl)
    atEnd(() => db.destroy())
    const apps = [await newApp(db, 'shop'), await newApp(db, 'other')] as const
    const orders = await newOrders(db, apps, streams)
    const service = await start<EventsServiceReady>('../events/service-child.ts', { databaseUrl })
    const port = Number(new URL(service.ready.url).port)
    const [users, attackers] = [await start('../events/readers-child.ts', { port }), await start('../events/readers-child.ts', { port })]
    await sleep(settleMs)
    const megabytes = () => megabytesOf(service.pid)
    const empty = await megabytes()
    const memory = watchMaximum(megabytes)
    atEnd(memory.stop)

    onProgress(`opening ${withCommas(streams)} streams`)
    const opened = await openStreams(users, orders.map(followOne))
    await sleep(settleMs)
    const quiet = await megabytes()
    onProgress(`${blocks} blocks with a deposit`)
    const alone = await mineAndWait(service, users, spread(orders, blocks, 0), everyMs)
    const aloneMegabytes = await memory.take()
    onProgress(`${withCommas(strangers)} strangers`)
    const hostile = await openStreams(attackers, hostileStreams(apps[0], orders, strangers))
    const besieged = await mineAndWait(service, users, spread(orders, blocks, 1), everyMs)
    const besiegedMegabytes = await memory.take()

    return [
      {
        what: 'each follows an order',
        streams: opened.accepted,
        refused: opened.refused,
        megabytes: aloneMegabytes,
        kilobytesEach: ((quiet - empty) * 1024) / streams,
        ...alone,
      },
      {
        what: 'the same, with strangers who open all that they can, and read nothing',
        streams: opened.accepted + hostile.accepted,
        refused: hostile.refused,
        megabytes: besiegedMegabytes,
        kilobytesEach: null,
        ...besieged,
      },
    ]
  })
}

async function megabytesOf(pid: number): Promise<number> {
  return ((await descendants(pid)).find((process) => process.pid === pid)?.kilobytes ?? 0) / 1024
}

/** `take` returns the maximum since it was last taken. */
function watchMaximum(read: () => Promise<number>): { take(): Promise<number>; stop(): Promise<void> } {
  const stopping = new AbortController()
  let maximum = 0
  const poll = async () => {
    const current = await read()
    maximum = Math.max(maximum, current)
  }
  const polling = (async () => {
    for (; !stopping.signal.aborted; await sleep(MEMORY_POLL_MS)) await poll()
  })()
  return {
    async take() {
      await poll()
      const taken = maximum
      maximum = 0
      return taken
    },
    async stop() {
      stopping.abort()
      await polling
    },
  }
}

async function newApp(db: Database, name: string): Promise<App> {
  return { name, appId: (await createApp(db, name)).appId }
}

/** The orders have no deposits and go to the apps round robin. */
async function newOrders(db: Database, apps: readonly App[], count: number): Promise<readonly FollowedOrder[]> {
  const createdAt = BigInt(Math.floor(Date.now() / 1000))
  const made = Array.from({ length: count }, (_, n) => {
    const app = apps[n % apps.length] as App
    // An order without its worth is not listed, and only listed orders have events.
    const worth = { volumeUsdMicros: 1n, feeUsdMicros: 0n }
    const ends = { source: { chain: SOURCE }, destination: { chain: DESTINATION } }
    const example = exampleOrder({ app: app.name, worth, deadline: createdAt + DAY, ...ends })
    const input = { ...example, order: { ...example.order, createdAt, source: withTimelock(example.order.source) } }
    return { app, input }
  })
  for (let at = 0; at < made.length; at += ORDERS_AT_ONCE)
    await insertOrders(
      db,
      made.slice(at, at + ORDERS_AT_ONCE).map(({ input }) => ({ input, sealed: [] })),
    )
  return made.map(({ app, input: { order } }) => ({
    id: order.id,
    swapId: order.source.swapId,
    amount: order.source.terms.amount.toString(),
    app,
  }))
}

/** The timelock leaves the solver enough time: an order that cannot complete would be refunded. */
function withTimelock(source: Swap): Swap {
  const timelock = localChains.find(({ id }) => id === SOURCE)?.timelocks.source
  if (timelock === undefined) throw new Error(`${SOURCE} is not in the local registry`)
  return { ...source, terms: { ...source.terms, timelock } }
}

function followOne({ id, app }: FollowedOrder, n: number): Stream {
  // The users are in many networks.
  const from = `127.1.${Math.floor(n / STREAMS_OF_ADDRESS)}.1`
  return { path: `/v2/orders/${id}/events`, appId: app.appId, from, lastEventId: null, isSlow: false }
}

/** Strangers of one network who know the public id of an app. Each asks for all missed events of an order or of the whole app, and reads nothing. */
function hostileStreams({ appId }: App, orders: readonly FollowedOrder[], count: number): readonly Stream[] {
  return Array.from({ length: count }, (_, n) => ({
    path: n % 2 === 0 ? '/v2/events' : `/v2/orders/${orders[n % orders.length]?.id}/events`,
    appId,
    from: `127.2.0.${1 + Math.floor(n / STREAMS_OF_ADDRESS)}`,
    lastEventId: HOSTILE_IDS[n % HOSTILE_IDS.length] ?? null,
    isSlow: true,
  }))
}

async function openStreams(readers: Readers, streams: readonly Stream[]): Promise<{ readonly accepted: number; readonly refused: number }> {
  const { statuses } = await readers.ask<Opened>({ open: streams } satisfies ReadersQuestion)
  const accepted = statuses['200'] ?? 0
  return { accepted, refused: streams.length - accepted }
}

/** The `count` orders are spread evenly over all. Each `offset` gives other ones. */
function spread(orders: readonly FollowedOrder[], count: number, offset: number): readonly FollowedOrder[] {
  const step = Math.floor(orders.length / count)
  return Array.from({ length: count }, (_, n) => orders[n * step + offset] as FollowedOrder)
}

/** The block has a deposit for each of these orders. This waits until their followers are notified. */
async function mineAndWait(
  service: Child<unknown>,
  readers: Readers,
  orders: readonly FollowedOrder[],
  everyMs: number,
): Promise<Pick<Row, 'p50Ms' | 'p99Ms' | 'missing'>> {
  const minedAtMs = new Map<string, number>()
  for (const { id, swapId, amount } of orders) {
    minedAtMs.set(id, (await service.ask<Mined>({ swapId, amount } satisfies MineQuestion)).atMs)
    await sleep(everyMs)
  }
  const tookMs = new Map<string, number>()
  const untilMs = performance.now() + WAIT_MS
  while (tookMs.size < orders.length && performance.now() < untilMs) {
    const { atMs } = await readers.ask<Received>('received' satisfies ReadersQuestion)
    for (const [id, receivedAtMs] of Object.entries(atMs)) {
      const since = minedAtMs.get(id)
      if (since !== undefined && !tookMs.has(id)) tookMs.set(id, receivedAtMs - since)
    }
    await sleep(POLL_MS)
  }
  const all = [...tookMs.values()]
  return { p50Ms: percentile(all, 50), p99Ms: percentile(all, 99), missing: orders.length - tookMs.size }
}

const { full } = SIZES

export const eventsBench: Bench = {
  name: 'events',
  about: `${withCommas(full.streams)} open event streams on one process, alone and under attack`,
  conditions: `API and engine of a service in one process, PostgreSQL, two chains in memory whose nodes announce every block; the clients in processes of their own. ${withCommas(full.streams)} streams, each of another order, of two apps alternately and from many networks. Memory: the most proportional set size of the service from the first stream of a row to its last event; kB each: ${full.settleMs / 1000} s after the last stream was opened. Block to event: from a block with the deposit of an order to the event at its client, ${full.blocks} blocks, one every ${full.everyMs} ms. Strangers: at the same pace of blocks, ${withCommas(full.strangers)} further connections from ${Math.ceil(full.strangers / STREAMS_OF_ADDRESS)} addresses of one network, with the public id of one of the apps; each asks for everything since the first event and reads nothing.`,
  async run({ size, onProgress }) {
    const rows = await measureEvents(size, onProgress)
    const [alone, ...besieged] = rows
    if (alone === undefined) throw new Error('there are no measurements')
    const isSoon = ({ p99Ms, missing }: Row) => p99Ms <= MAX_P99_MS && missing === 0
    const maxMegabytes = alone.megabytes + MAX_STRANGERS_MEGABYTES
    const isSmall = besieged.every(({ megabytes }) => megabytes <= maxMegabytes)
    return {
      ok: rows.every(isSoon) && (alone.kilobytesEach ?? 0) <= MAX_KILOBYTES_EACH && isSmall,
      table: {
        columns: ['what', 'open', 'refused', 'MB', 'limit', 'kB each', 'limit', 'block to event: p50 ms', 'p99 ms', 'limit', 'missing'],
        rows: rows.map((row) => [
          row.what,
          withCommas(row.streams),
          withCommas(row.refused),
          Math.round(row.megabytes),
          row === alone ? '–' : Math.round(maxMegabytes),
          row.kilobytesEach === null ? '–' : Number(row.kilobytesEach.toFixed(1)),
          row.kilobytesEach === null ? '–' : MAX_KILOBYTES_EACH,
          Math.round(row.p50Ms),
          Math.round(row.p99Ms),
          MAX_P99_MS,
          row.missing,
        ]),
      },
    }
  },
}
