/** Measures how long a user waits after their side is confirmed. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLocalClient, type LocalClient } from '../demo/client/local-client.ts'
import { startLocalStack } from '../src/local/stack.ts'
import { createLogger } from '../src/log.ts'
import { type Bench, median, ratio, type Size } from './bench.ts'

const LATENCY_LIMIT_MS = 250

const POLL_MS = 5

type LatencyRow = { readonly route: string; readonly swaps: number; readonly medianMs: number; readonly slowestMs: number }

type Route = {
  readonly from: string
  readonly to: string
  readonly amount: bigint
}

const routes: readonly Route[] = [
  { from: 'ethereum_localnet:eth', to: 'arbitrum_localnet:usdc', amount: 10_000_000_000_000_000n },
  { from: 'bitcoin_regtest:btc', to: 'ethereum_localnet:wbtc', amount: 100_000n },
  { from: 'ethereum_localnet:eth', to: 'bitcoin_regtest:btc', amount: 30_000_000_000_000_000n },
]

async function measureLatency(size: Size, onProgress: (what: string) => void): Promise<LatencyRow[]> {
  const swaps = size === 'smallest' ? 1 : 15
  const folder = await mkdtemp(join(tmpdir(), 'tandem-latency-'))
  const stack = await startLocalStack({
    folder,
    port: 0,
    log: createLogger({ name: 'latency', level: 'warn' }),
    mining: 'instant',
    chains: ['bitcoin', 'ethereum', 'arbitrum'],
  })
  try {
    const client = createLocalClient(stack.info)
    const rows: LatencyRow[] = []
    for (const route of routes) {
      const times: number[] = []
      // The first one is not counted: it includes the solver's approval and cold code.
      for (let swap = 0; swap <= swaps; swap++) {
        onProgress(`${route.from} → ${route.to}, ${swap} of ${swaps}`)
        const ms = await measureOne(client, route)
        if (swap > 0) times.push(ms)
      }
      rows.push({
        route: `${route.from} → ${route.to}`,
        swaps,
        medianMs: Math.round(median(times)),
        slowestMs: Math.round(Math.max(...times)),
      })
    }
    return rows
  } finally {
    await stack.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureOne(client: LocalClient, route: Route): Promise<number> {
  const wallet = await client.walletFor(route.from)
  const quote = await client.api.quote({ from: route.from, to: route.to, from_amount: route.amount.toString() })
  const order = await client.api.createOrder({
    source: { asset: route.from, owner: client.ownerOf(route.from), amount: quote.source.amount },
    destination: { asset: route.to, owner: client.ownerOf(route.to), amount: quote.destination.amount },
  })
  // Resolves when the source side is in a block.
  await wallet.fund(order)
  const confirmed = performance.now()
  for (;;) {
    const { destination_swap } = await client.api.order(order.order_id)
    if (destination_swap.redeem_tx_hash !== '') return performance.now() - confirmed
    await sleep(POLL_MS)
  }
}

export const latencyBench: Bench = {
  name: 'latency',
  about: `source confirmed → destination redeemed on instantly mined chains, limit ${LATENCY_LIMIT_MS} ms median`,
  conditions: 'Whole local stack, blocks mined at once, one swap after the other, seen from outside through the API.',
  async run({ size, onProgress }) {
    const rows = await measureLatency(size, onProgress)
    return {
      ok: rows.every((row) => row.medianMs < LATENCY_LIMIT_MS),
      table: {
        columns: ['route', 'swaps', 'median ms', 'slowest ms', 'limit ms', 'ratio'],
        rows: rows.map((row) => [
          row.route,
          row.swaps,
          row.medianMs,
          row.slowestMs,
          LATENCY_LIMIT_MS,
          ratio(row.medianMs, LATENCY_LIMIT_MS),
        ]),
      },
    }
  },
}
