/** The hot endpoints are compared with a minimal peer that does the same work, in one run. */
import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'
import { type Bench, median, type Size } from '../bench.ts'
import { withDatabase } from '../with-database.ts'
import type { Child } from './child.ts'
import type { PeerInput, TransactionsAsked } from './peer-child.ts'

/** `refused` counts requests that got no answer, or another one than wanted. */
type Load = { readonly perSecond: number; readonly p50Ms: number; readonly p99Ms: number; readonly refused: number }

/** `cpuMs` is the server's processor time per request, which other processes on the machine hardly change. */
type Cost = Load & { readonly cpuMs: number }

type ApiRow = {
  readonly endpoint: string
  readonly peerName: string
  readonly ours: Cost
  readonly peer: Cost
  readonly ratio: number
  /** This is null if the row is only shown for comparison. */
  readonly minRatio: number | null
}

/** The service's database pool has this size. */
const CONNECTIONS = 20
const SECONDS = { full: 4, smallest: 0.2 }
/** The first rounds warm up the service and the peer. */
const ROUNDS = { full: { warmUp: 1, measured: 3 }, smallest: { warmUp: 0, measured: 1 } }
/** Many different queries and owners are used, so that no single cached answer is measured. */
const QUESTIONS = 50
const OWNERS = 50
/** A service that is busy starting is asked again. */
const RETRY_MS = 500
const SEEDED_ORDERS = { full: 500, smallest: 20 }

const btc = 'bitcoin_regtest:btc'
const wbtc = 'ethereum_localnet:wbtc'
const [eth, usdc] = ['ethereum_localnet:eth', 'arbitrum_localnet:usdc']

const account = (index: number) => `0x${(0x1000 + index).toString(16).repeat(10)}`
const ethereumOrder = (index: number) =>
  JSON.stringify({
    source: { asset: eth, owner: account(index), amount: '10000000000000000' },
    destination: { asset: usdc, owner: account(OWNERS + index), amount: '39000000' },
  })

type Service = { readonly url: string; readonly appId: string }
type Comparison = Pick<ApiRow, 'endpoint' | 'peerName' | 'minRatio'> & { ours(): Promise<Cost>; peer(): Promise<Cost> }

async function measureApi(size: Size, onProgress: (what: string) => void): Promise<ApiRow[]> {
  onProgress('starting database and servers')
  return withDatabase(
    'api',
    async ({ createDatabase, start }) => {
      const databaseUrl = await createDatabase('bench')
      const node = await start<{ url: string }>('./node-child.ts', null)
      const service = await start<Service>('./service-child.ts', { databaseUrl, nodeUrl: node.ready.url })
      const quoteBody = await (await fetch(`${service.ready.url}${quotePath(0)}`, { headers: headersOf(service.ready) })).text()
      const peerInput: PeerInput = { databaseUrl, quoteBody, poolSize: CONNECTIONS }
      const peer = await start<{ url: string }>('./peer-child.ts', peerInput)

      const rows: ApiRow[] = []
      for (const comparison of await listComparisons(size, service, peer)) rows.push(await compare(comparison, ROUNDS[size], onProgress))
      return rows
    },
    { durable: true },
  )
}

async function listComparisons(size: Size, serving: Child<Service>, peer: Child<{ url: string }>): Promise<readonly Comparison[]> {
  const seconds = SECONDS[size]
  const service = serving.ready
  const fireAt = (child: Child<{ url: string }>, requests: autocannon.Request[]) =>
    withCpu(child, seconds, () => fireFor(seconds, child.ready.url, requests))
  const headers = headersOf(service)
  const asked: TransactionsAsked = { concurrency: CONNECTIONS, seconds }
  const posted = { ...headers, 'content-type': 'application/json' }
  const creations = Array.from({ length: OWNERS }, (_, index) => ({
    method: 'POST' as const,
    path: '/v2/orders',
    headers: posted,
    body: ethereumOrder(index),
  }))
  const questions = Array.from({ length: QUESTIONS }, (_, index) => ({ path: quotePath(index), headers }))
  const ids = await seedOrders(service, SEEDED_ORDERS[size])
  return [
    {
      endpoint: 'GET /quote',
      peerName: 'bare fastify route, same request and same bytes',
      minRatio: 0.75,
      ours: () => fireAt(serving, questions),
      peer: () => fireAt(peer, questions),
    },
    {
      endpoint: 'POST /orders',
      peerName: 'bare fastify route, three rows in a transaction',
      minRatio: 0.7,
      ours: () => fireAt(serving, creations),
      peer: () =>
        fireAt(
          peer,
          creations.map(({ method, body }) => ({ method, path: '/orders', body, headers: { 'content-type': 'application/json' } })),
        ),
    },
    {
      endpoint: 'POST /orders',
      peerName: 'pg driver alone, three rows in a transaction, no HTTP',
      minRatio: null,
      ours: () => fireAt(serving, creations),
      peer: () => withCpu(peer, seconds, async () => ({ ...(await peer.ask<Omit<Load, 'refused'>>(asked)), refused: 0 })),
    },
    {
      endpoint: 'GET /orders/{id}',
      peerName: 'bare fastify route, one primary-key select',
      minRatio: 0.8,
      ours: () =>
        fireAt(
          serving,
          ids.map((id) => ({ path: `/v2/orders/${id}`, headers })),
        ),
      peer: () =>
        fireAt(
          peer,
          ids.map((id) => ({ path: `/orders/${id}` })),
        ),
    },
  ]
}

/** The two alternate, so that a change in the machine's load affects both. */
async function compare(
  { ours, peer, ...about }: Comparison,
  { warmUp, measured }: (typeof ROUNDS)[Size],
  onProgress: (what: string) => void,
): Promise<ApiRow> {
  const rounds: { ours: Cost; peer: Cost }[] = []
  for (let round = 1 - warmUp; round <= measured; round += 1) {
    onProgress(`${about.endpoint}, round ${round} of ${measured}`)
    const loads = { peer: await peer(), ours: await ours() }
    if (round > 0) rounds.push(loads)
  }
  const middle = (pick: (loads: { ours: Cost; peer: Cost }) => number) => median(rounds.map(pick))
  const summary = (who: 'ours' | 'peer'): Cost => ({
    perSecond: middle((loads) => loads[who].perSecond),
    p50Ms: middle((loads) => loads[who].p50Ms),
    p99Ms: middle((loads) => loads[who].p99Ms),
    cpuMs: middle((loads) => loads[who].cpuMs),
    refused: rounds.reduce((sum, loads) => sum + loads[who].refused, 0),
  })
  return {
    ...about,
    ours: summary('ours'),
    peer: summary('peer'),
    ratio: middle((loads) => loads.ours.perSecond / loads.peer.perSecond),
  }
}

async function withCpu(child: Child<unknown>, seconds: number, load: () => Promise<Load>): Promise<Cost> {
  const cpuMicros = async () => (await child.ask<{ readonly cpuMicros: number }>('cpu')).cpuMicros
  const before = await cpuMicros()
  const measured = await load()
  return { ...measured, cpuMs: ((await cpuMicros()) - before) / 1000 / (measured.perSecond * seconds) }
}

async function fireFor(seconds: number, url: string, requests: autocannon.Request[]): Promise<Load> {
  const result = await autocannon({ url, connections: CONNECTIONS, duration: seconds, requests })
  const refused = result.non2xx + result.errors
  return { perSecond: result.requests.average, p50Ms: result.latency.p50, p99Ms: result.latency.p99, refused }
}

async function seedOrders(service: Service, count: number): Promise<readonly string[]> {
  const ids: string[] = []
  while (ids.length < count) {
    const response = await fetch(`${service.url}/v2/orders`, {
      method: 'POST',
      headers: { ...headersOf(service), 'content-type': 'application/json' },
      body: ethereumOrder(ids.length % OWNERS),
    })
    const { result } = (await response.json()) as { result: { order_id: string } | null }
    if (result !== null) ids.push(result.order_id)
    else if (response.status === 503) await sleep(RETRY_MS)
    else throw new Error(`an order was refused with HTTP ${response.status}`)
  }
  return ids
}

function quotePath(index: number): string {
  return `/v2/quote?from=${btc}&to=${wbtc}&from_amount=${1_000_000 + index}&slippage=50`
}

function headersOf({ appId }: Service): Record<string, string> {
  return { 'service-app-id': appId }
}

export const apiBench: Bench = {
  name: 'api',
  about: 'the hot endpoints, against the same framework and driver doing the least possible',
  conditions:
    'The API in a process of its own, embedded PostgreSQL with its usual durability, an EVM node simulated in another process, a solver simulated by functions; 20 connections; medians of 3 rounds of 4 s, ours and the peer alternately. 50 different questions for GET /quote, whose answers are reused for a second; POST /orders makes a new order from a native coin every time, for 50 owners round robin. CPU: of the server process, per request.',
  async run({ size, onProgress }) {
    const rows = await measureApi(size, onProgress)
    return {
      ok: rows.every((row) => row.ours.refused + row.peer.refused === 0 && row.ratio >= (row.minRatio ?? 0)),
      table: {
        columns: [
          'endpoint',
          'per second',
          'p50 ms',
          'p99 ms',
          'CPU ms',
          'peer',
          'per second',
          'p50 ms',
          'p99 ms',
          'CPU ms',
          'refused',
          'ratio',
          'at least',
        ],
        rows: rows.map((row) => [
          row.endpoint,
          ...loadCells(row.ours),
          row.peerName,
          ...loadCells(row.peer),
          row.ours.refused + row.peer.refused,
          row.ratio.toFixed(2),
          row.minRatio ?? '–',
        ]),
      },
    }
  },
}

function loadCells({ perSecond, p50Ms, p99Ms, cpuMs }: Cost): readonly number[] {
  return [Math.round(perSecond), Number(p50Ms.toFixed(1)), Number(p99Ms.toFixed(1)), Number(cpuMs.toFixed(3))]
}
