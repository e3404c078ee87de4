/** The real API with a real database and real chain clients. */

import { connectChain } from '../../src/chains/index.ts'
import { createLogger } from '../../src/log.ts'
import { parseUsdPrice } from '../../src/protocol/amount.ts'
import type { AssetId } from '../../src/protocol/asset.ts'
import { localAssets, localChains } from '../../src/protocol/registry/local.ts'
import { createRegistry } from '../../src/protocol/registry/registry.ts'
import { createApi } from '../../src/service/api/app.ts'
import { unusedAddress } from '../../src/service/testing/unused-address.fixture.ts'
import { createApp } from '../../src/store/apps/apps.ts'
import { openDatabase } from '../../src/store/database/database.ts'
import { createVault } from '../../src/store/orders/sealed-values.ts'
import { answerCpu, readInput, tellParent } from './child.ts'
import { simulatedSolver } from './simulated-solver.ts'

const PRICES: Readonly<Record<string, string>> = { BTC: '100000', WBTC: '100000', USDC: '1', ETH: '4000' }

const input = readInput<{ databaseUrl: string; nodeUrl: string }>()
const db = await openDatabase(input.databaseUrl)
const { appId } = await createApp(db, 'bench')
const deployments = Object.fromEntries(
  localAssets.map(({ id, htlcSchema, tokenSchema }, index) => {
    const address = (digit: string) => unusedAddress(htlcSchema, digit, index)
    return [id, { htlc: htlcSchema === 'bitcoin:htlc' ? null : address('e'), token: tokenSchema === null ? null : address('f') }]
  }),
)
const registry = createRegistry({
  chains: localChains,
  assets: localAssets,
  deployments,
  served: new Set(localChains.map(({ id }) => id)),
})
const clients = new Map(
  await Promise.all(
    registry.chains.map(async (chain) => {
      const assets = registry
        .assetsOf(chain.id)
        .flatMap((asset) => (asset.deployment === null ? [] : [{ ...asset, deployment: asset.deployment }]))
      return [chain.id, await connectChain(chain, { assets, endpoints: { rpc: [input.nodeUrl] } })] as const
    }),
  ),
)
const api = createApi({
  db,
  registry,
  clients,
  solvers: [simulatedSolver],
  vault: createVault('42'.repeat(32)),
  prices: Object.fromEntries(localAssets.map(({ id, symbol }): [AssetId, bigint] => [id, parseUsdPrice(PRICES[symbol] ?? '1')])),
  log: createLogger({ name: 'bench', level: 'warn' }),
  now: () => BigInt(Math.floor(Date.now() / 1000)),
  expectNews: () => undefined,
  wake: () => undefined,
  chainHealthy: () => true,
  admits: () => true,
  settings: { environment: 'local', rateLimitPerMinute: 1_000_000_000 },
})
answerCpu()
tellParent({ url: await api.listen({ host: '127.0.0.1', port: 0 }), appId })
