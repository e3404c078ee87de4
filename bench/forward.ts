/** Follows swaps of every family by frequent reads: without a reorg, no status goes back and no transaction hash disappears. */
import { followForward } from '../demo/client/follow-forward.ts'
import { chainOf, createLocalClient, type LocalClient } from '../demo/client/local-client.ts'
import type { Bench, Size } from './bench.ts'
import { withProcesses } from './load/stack-processes.ts'
import type { Route } from './load/users.ts'

const SWAPS: Readonly<Record<Size, number>> = { full: 50, smallest: 1 }
/** A swap takes seconds, and a solver's redeem waits for others to share a transaction. */
const LIMIT_MS = 180_000

/** Every family is a source and a destination. */
const ROUTES: readonly Route[] = [
  { from: 'bitcoin_regtest:btc', to: 'litecoin_regtest:ltc', amount: 100_000n },
  { from: 'litecoin_regtest:ltc', to: 'bitcoin_regtest:btc', amount: 20_000_000n },
  { from: 'ethereum_localnet:eth', to: 'solana_localnet:sol', amount: 10_000_000_000_000_000n },
  { from: 'solana_localnet:sol', to: 'ethereum_localnet:wbtc', amount: 200_000_000n },
  { from: 'ethereum_localnet:eth', to: 'starknet_localnet:wbtc', amount: 30_000_000_000_000_000n },
  { from: 'starknet_localnet:wbtc', to: 'ethereum_localnet:wbtc', amount: 100_000n },
  { from: 'ethereum_localnet:eth', to: 'sui_localnet:sui', amount: 10_000_000_000_000_000n },
  { from: 'sui_localnet:sui', to: 'ethereum_localnet:wbtc', amount: 10_000_000_000n },
  { from: 'ethereum_localnet:eth', to: 'xrpl_localnet:xrp', amount: 10_000_000_000_000_000n },
  { from: 'xrpl_localnet:xrp', to: 'ethereum_localnet:wbtc', amount: 20_000_000n },
  { from: 'tron_localnet:usdt', to: 'hypercore_localnet:purr', amount: 100_000_000n },
  { from: 'hypercore_localnet:purr', to: 'tron_localnet:usdt', amount: 2_500_000n },
]

type ForwardRow = { readonly route: string; readonly completed: number; readonly reads: number; readonly stepsBack: readonly string[] }

/** The smallest size starts few chains, and none on which redeems wait for each other. */
const ROUTES_OF: Readonly<Record<Size, readonly Route[]>> = {
  full: ROUTES,
  smallest: ROUTES.filter(({ from }) => from === 'xrpl_localnet:xrp'),
}

function followAll(size: Size, onProgress: (what: string) => void): Promise<readonly ForwardRow[]> {
  const routes = ROUTES_OF[size]
  return withProcesses(async ({ startChains, startParty }) => {
    const names = new Set(routes.flatMap(({ from, to }) => [chainOf(from), chainOf(to)]))
    const { info, serviceFile, solverFile } = (await startChains({ chains: [...names], gifts: [] })).ready
    await startParty({ party: 'solver', configFile: solverFile, nodeHosts: [] })
    await startParty({ party: 'service', configFile: serviceFile, nodeHosts: [] })
    const client = createLocalClient(info)
    const sources = [...new Set(routes.map(({ from }) => chainOf(from)))]
    const followed = await Promise.all(
      sources.map(async (source) => {
        const rows: ForwardRow[] = []
        for (const route of routes.filter(({ from }) => chainOf(from) === source))
          rows.push(await followRoute(client, route, SWAPS[size], onProgress))
        return rows
      }),
    )
    return followed.flat()
  })
}

/** One swap after the other: a wallet funds one order at a time. */
async function followRoute(
  { api, ownerOf, walletFor }: LocalClient,
  { from, to, amount }: Route,
  swaps: number,
  onProgress: (what: string) => void,
): Promise<ForwardRow> {
  const wallet = await walletFor(from)
  const stepsBack: string[] = []
  let reads = 0
  for (let swap = 1; swap <= swaps; swap++) {
    onProgress(`${from} → ${to}, ${swap} of ${swaps}`)
    const quote = await api.quote({ from, to, from_amount: amount.toString() })
    const created = await api.createOrder({
      source: { asset: from, owner: ownerOf(from), amount: quote.source.amount },
      destination: { asset: to, owner: ownerOf(to), amount: quote.destination.amount },
    })
    const read = () => {
      reads += 1
      return api.order(created.order_id)
    }
    const following = followForward(read, LIMIT_MS).catch((error: unknown) => void stepsBack.push(String(error)))
    await Promise.all([following, wallet.fund(created)])
  }
  return { route: `${from} → ${to}`, completed: swaps - stepsBack.length, reads, stepsBack }
}

export const forwardBench: Bench = {
  name: 'forward',
  about: 'every status of 50 swaps of each family, read every 20 ms: only forward steps',
  conditions:
    'Local chains; chains with the database, service and solver are processes of their own. Each order is read every 20 ms from before it is funded until it is complete. A step back is a status before the last one, or a transaction hash that disappears. The chains of the sources at the same time, each with one swap after the other. No reorgs.',
  async run({ size, onProgress }) {
    const rows = await followAll(size, onProgress)
    for (const { route, stepsBack } of rows) for (const step of stepsBack) onProgress(`${route}: ${step}`)
    return {
      ok: rows.every(({ stepsBack }) => stepsBack.length === 0),
      table: {
        columns: ['route', 'completed', 'reads', 'steps back, or not complete'],
        rows: rows.map(({ route, completed, reads, stepsBack }) => [route, completed, reads, stepsBack.length]),
      },
    }
  },
}
