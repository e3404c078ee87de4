/** The real API runs with a real database and real chain clients. */

import { connectChain, familyNamed } from '@tandem/families/index.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import { createStaticFeed } from '@tandem/party/prices/static-feed.ts'
import { createApp } from '@tandem/party/store/apps/apps.ts'
import { openDatabase } from '@tandem/party/store/database/database.ts'
import { parseUsdPrice } from '@tandem/protocol/amount.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import { createRegistry } from '@tandem/protocol/registry/registry.ts'
import { unusedAddress } from '@tandem/service/testing/unused-address.fixture.ts'
import { answerCpu, readInput, tellParent } from './child.ts'
import { listen } from './listen.ts'
import { simulatedSolver } from './simulated-solver.ts'

export type ServiceInput = { readonly databaseUrl: string; readonly nodeUrl: string }

const PRICES: Readonly<Record<string, string>> = { BTC: '100000', WBTC: '100000', USDC: '1', ETH: '4000' }

const input = readInput<ServiceInput>()
const db = await openDatabase(input.databaseUrl)
const { appId } = await createApp(db, 'bench')
/** The simulated node answers HTTP only. */
const chains = localChains.filter(({ family }) => familyNamed(family).endpointKinds.includes('rpc'))
const assets = localAssets.filter((asset) => chains.some(({ id }) => id === asset.chain))
const deployments = Object.fromEntries(
  assets.map(({ id, htlcSchema, tokenSchema }, index) => {
    const htlc = htlcSchema === 'bitcoin:htlc' ? null : unusedAddress(htlcSchema, 'e', index)
    return [id, { htlc, token: tokenSchema === null ? null : unusedAddress(tokenSchema, 'f', index) }]
  }),
)
const registry = createRegistry({
  chains,
  assets,
  deployments,
  served: new Set(chains.map(({ id }) => id)),
})
const clients = new Map(
  await Promise.all(
    registry.chains.map(async (chain) => {
      const deployed = registry
        .assetsOf(chain.id)
        .flatMap((asset) => (asset.deployment === null ? [] : [{ ...asset, deployment: asset.deployment }]))
      return [chain.id, await connectChain(chain, { assets: deployed, endpoints: { rpc: [input.nodeUrl] } })] as const
    }),
  ),
)
const { url } = await listen({
  db,
  registry,
  clients,
  solvers: [simulatedSolver],
  prices: createStaticFeed(
    Object.fromEntries(localAssets.map(({ id, symbol }): [AssetId, bigint] => [id, parseUsdPrice(PRICES[symbol] ?? '1')])),
  ),
})
answerCpu()
tellParent({ url, appId })
