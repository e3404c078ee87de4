/** Opens what the commands about withdrawals need of a solver: its database, its nodes, and its inventory as the solver itself counts it. */
import { readPublicKeyring } from '@tandem/party/config/keyring.ts'
import { loadConfig } from '@tandem/party/config/load-config.ts'
import { networkSettings } from '@tandem/party/config/network-settings.ts'
import { SolverConfig } from '@tandem/party/config/schema.ts'
import { connectNetwork } from '@tandem/party/engine/network.ts'
import { createStaticFeed } from '@tandem/party/prices/static-feed.ts'
import { type Database, openDatabase } from '@tandem/party/store/database/database.ts'
import { readInFlight } from '@tandem/party/store/solver/in-flight.ts'
import { createInventory } from '@tandem/solver/inventory.ts'
import { createLegCosts } from '@tandem/solver/pricing/leg-costs.ts'
import { createFeeFunds } from '@tandem/solver/risk/fee-funds.ts'
import { riskSettings } from '@tandem/solver/risk/settings.ts'
import type { PlanContext } from '@tandem/solver/withdrawals/plan.ts'
import { HOW_TO_ALLOW, type WithdrawalSettings, whyNotAllowed, withdrawalSettings } from '@tandem/solver/withdrawals/settings.ts'
import { solverConfigPath } from './config-path.ts'
import type { Terminal } from './terminal.ts'

export type WithdrawalPlace = PlanContext & { readonly db: Database; readonly settings: WithdrawalSettings }

export async function openWithdrawalPlace<T>(
  path: string | undefined,
  terminal: Terminal,
  work: (place: WithdrawalPlace) => Promise<T>,
): Promise<T> {
  const loaded = await loadConfig(SolverConfig, solverConfigPath(path))
  const { config } = loaded
  if (config.withdrawals === undefined) throw new Error(`the configuration allows no withdrawals: ${HOW_TO_ALLOW}`)
  const keys = await readPublicKeyring(config.private_key, loaded)
  const network = await connectNetwork(await networkSettings(loaded), (chain) =>
    terminal.note(`the node of ${chain} does not answer: nothing of it is sent`),
  )
  const db = await openDatabase(await loaded.readSecret(config.database_url))
  try {
    const { registry, clients } = network
    const settings = withdrawalSettings({ config, clients, keys })
    const legCosts = createLegCosts({
      registry,
      clients,
      prices: createStaticFeed({}),
      onError: (asset) => terminal.note(`the network fees of ${asset} cannot be read`),
    })
    const feeFunds = createFeeFunds({ registry, clients, keys, legCosts, peakFactor: riskSettings(config.risk).feePeakFactor })
    const inventory = createInventory({
      db,
      registry,
      clients,
      keys,
      now: () => BigInt(Math.floor(Date.now() / 1000)),
      maySend: (withdrawal) => whyNotAllowed(settings, withdrawal) === null,
      async feeDuties(asset) {
        const { id, nativeAsset } = registry.chain(registry.asset(asset).chain)
        return asset === nativeAsset ? feeFunds.duties(id, await readInFlight(db)) : 0n
      },
    })
    return await work({ db, registry, clients, keys, settings, inventory, targets: config.pricing?.inventory_targets ?? {} })
  } finally {
    await db.destroy()
    await network.close()
  }
}
