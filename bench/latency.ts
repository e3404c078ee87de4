/** A user waits this long after their side is confirmed. */

import { setTimeout as sleep } from 'node:timers/promises'
import { chainOf } from '../demo/client/local-client.ts'
import { type Bench, median, ratio, type Size } from './bench.ts'
import { withProcesses } from './load/stack-processes.ts'
import { type Route, type Users, untilAccepted } from './load/users.ts'
import { createWalletUsers } from './load/wallet-users.ts'

const LATENCY_LIMIT_MS = 250

const POLL_MS = 5
const SWAPS = { full: { warmUp: 1, swaps: 15 }, smallest: { warmUp: 0, swaps: 1 } }

type LatencyRow = { readonly route: string; readonly swaps: number; readonly medianMs: number; readonly slowestMs: number }

const ROUTES: readonly Route[] = [
  { from: 'ethereum_localnet:eth', to: 'arbitrum_localnet:usdc', amount: 10_000_000_000_000_000n },
  { from: 'bitcoin_regtest:btc', to: 'ethereum_localnet:wbtc', amount: 100_000n },
  { from: 'ethereum_localnet:eth', to: 'bitcoin_regtest:btc', amount: 30_000_000_000_000_000n },
  { from: 'ethereum_localnet:eth', to: 'starknet_localnet:wbtc', amount: 30_000_000_000_000_000n },
  { from: 'starknet_localnet:wbtc', to: 'ethereum_localnet:wbtc', amount: 100_000n },
  { from: 'ethereum_localnet:eth', to: 'sui_localnet:sui', amount: 10_000_000_000_000_000n },
  { from: 'sui_localnet:sui', to: 'arbitrum_localnet:usdc', amount: 10_000_000_000n },
  { from: 'ethereum_localnet:eth', to: 'xrpl_localnet:xrp', amount: 10_000_000_000_000_000n },
  { from: 'xrpl_localnet:xrp', to: 'arbitrum_localnet:usdc', amount: 20_000_000n },
]

/** The smallest size starts few chains. */
const ROUTES_OF: Readonly<Record<Size, readonly Route[]>> = { full: ROUTES, smallest: ROUTES.slice(0, 1) }

function measureLatency(size: Size, onProgress: (what: string) => void): Promise<LatencyRow[]> {
  // The first swap is not counted, because it includes the solver's approval and cold code.
  const { warmUp, swaps } = SWAPS[size]
  const routes = ROUTES_OF[size]
  return withProcesses(async ({ startChains, startParty }) => {
    const names = new Set(routes.flatMap(({ from, to }) => [chainOf(from), chainOf(to)]))
    const { info, serviceFile, solverFile } = (await startChains({ chains: [...names], gifts: [] })).ready
    await startParty({ party: 'solver', configFile: solverFile, nodeHosts: [] })
    await startParty({ party: 'service', configFile: serviceFile, nodeHosts: [] })
    const rows: LatencyRow[] = []
    for (const route of routes) {
      const users = createWalletUsers(info, [route])
      const times: number[] = []
      for (let swap = 1 - warmUp; swap <= swaps; swap++) {
        onProgress(`${route.from} → ${route.to}, ${swap} of ${swaps}`)
        const ms = await measureOne(users)
        if (swap > 0) times.push(ms)
      }
      users.close()
      rows.push({
        route: `${route.from} → ${route.to}`,
        swaps,
        medianMs: Math.round(median(times)),
        slowestMs: Math.round(Math.max(...times)),
      })
    }
    return rows
  })
}

async function measureOne(users: Users): Promise<number> {
  await untilAccepted(() => users.swap(0))
  const swap = users.swaps.at(-1)
  if (swap === undefined) throw new Error('no swap was funded')
  while (swap.paidAt === null) {
    users.assertListening()
    await sleep(POLL_MS)
  }
  return swap.paidAt - swap.confirmedAt
}

export const latencyBench: Bench = {
  name: 'latency',
  about: `source confirmed → destination redeemed on instantly mined chains, limit ${LATENCY_LIMIT_MS} ms median`,
  conditions:
    'Local chains that mine at once; chains with the database, service and solver are processes of their own. One swap after the other, seen from outside through the stream of events.',
  async run({ size, onProgress }) {
    const rows = await measureLatency(size, onProgress)
    return {
      ok: rows.every((row) => row.medianMs <= LATENCY_LIMIT_MS),
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
