/** Measures GET /quote while one solver hangs and one answers garbage. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createSigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import { callHttp } from '@tandem/runtime/http-client.ts'
import { type FakeSolver, startFakeSolver } from '@tandem/service/testing/fake-solver.fixture.ts'
import type { Child } from './api/child.ts'
import type { ServiceInput } from './api/service-child.ts'
import { type Bench, percentile, type Size } from './bench.ts'
import { withDatabase } from './with-database.ts'

/** The default of a service. */
const BUDGET_MS = 400
const LIMIT_MS = BUDGET_MS + 50
const PER_SECOND = 100
const SECONDS = { full: 20, smallest: 1 }
const NO_ANSWER = { status: 0 }
const SIGNING_SEED = '33'.repeat(32)

type Service = { readonly url: string; readonly appId: string }
type Row = Figures & { readonly solvers: string; readonly limitMs: number | null }
type Figures = { readonly quotes: number; readonly refused: number; readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number }

async function measureQuotes(size: Size, onProgress: (what: string) => void): Promise<readonly Row[]> {
  onProgress('starting database and servers')
  return withDatabase('quote', async ({ createDatabase, start, atEnd }) => {
    const databaseUrl = await createDatabase('bench')
    const node = await start<{ url: string }>('./node-child.ts', null)
    const { publicKey } = createSigningKey(SIGNING_SEED)
    const startSolver = async (id: string) => {
      const solver = await startFakeSolver(id, publicKey)
      atEnd(solver.close)
      return solver
    }
    const [sound, hanging, babbling] = [await startSolver('sound'), await startSolver('hanging'), await startSolver('babbling')]
    const listed = [sound, hanging, babbling].map((solver) => solver.listed)
    const input: ServiceInput = { databaseUrl, nodeUrl: node.ready.url, solvers: { signingSeed: SIGNING_SEED, listed } }
    const service = await start<Service>('./service-child.ts', input)

    onProgress('three sound solvers')
    const calm = await fire(service, size)
    misbehave(hanging, babbling)
    onProgress('one hangs, one answers garbage')
    const broken = await fire(service, size)
    return [
      { solvers: 'three answer', limitMs: null, ...calm },
      { solvers: 'one answers, one hangs, one answers garbage', limitMs: LIMIT_MS, ...broken },
    ]
  })
}

function misbehave(hanging: FakeSolver, babbling: FakeSolver): void {
  hanging.delay = new Promise(() => undefined)
  babbling.onQuote = () => ({ status: 200, body: '{"destination_amount": "all of it' })
}

let asked = 0

async function fire({ ready }: Child<Service>, size: Size): Promise<Figures> {
  const latencies: number[] = []
  let refused = 0
  const ask = async (): Promise<void> => {
    asked += 1
    // Each time another amount: no answer comes from a cache.
    const url = `${ready.url}/v2/quote?from=bitcoin_regtest:btc&to=ethereum_localnet:wbtc&from_amount=${1_000_000 + asked}`
    const startedAt = performance.now()
    const { status } = await callHttp({ url, headers: { 'service-app-id': ready.appId }, timeoutMs: 30_000, maxBytes: 100_000 }).catch(
      () => NO_ANSWER,
    )
    if (status === 200) latencies.push(performance.now() - startedAt)
    else refused += 1
  }
  const quotes: Promise<void>[] = []
  for (let times = 0; times < SECONDS[size] * PER_SECOND; times++) {
    quotes.push(ask())
    await sleep(1_000 / PER_SECOND)
  }
  await Promise.all(quotes)
  const rounded = (percent: number) => Math.round(percentile(latencies, percent))
  return { quotes: latencies.length, refused, p50Ms: rounded(50), p99Ms: rounded(99), maxMs: rounded(100) }
}

export const quoteBench: Bench = {
  name: 'quote',
  about: 'GET /quote while one solver hangs and one answers garbage',
  conditions: `The API in a process of its own, three simulated solvers over HTTP with signed requests and answers; a budget of ${BUDGET_MS} ms, ${PER_SECOND} different quotes a second, sent whether or not earlier ones are answered, for ${SECONDS.full} s. No answer is reused. The second row begins with all solvers in good standing.`,
  async run({ size, onProgress }) {
    const rows = await measureQuotes(size, onProgress)
    return {
      ok: rows.every(({ refused, p99Ms, limitMs }) => refused === 0 && p99Ms <= (limitMs ?? p99Ms)),
      table: {
        columns: ['solvers', 'quotes', 'refused', 'p50 ms', 'p99 ms', 'limit', 'max ms'],
        rows: rows.map(({ solvers, quotes, refused, p50Ms, p99Ms, maxMs, limitMs }) => [
          solvers,
          quotes,
          refused,
          p50Ms,
          p99Ms,
          limitMs ?? '–',
          maxMs,
        ]),
      },
    }
  },
}
