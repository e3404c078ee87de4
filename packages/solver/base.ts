/** Opens what all parts of a solver need: its configuration, keys, database, chains and prices. */
import { urlOf } from '@tandem/chain-kit/port/endpoints.ts'
import { type LoadedConfig, releaseLogOf } from '@tandem/party/config/load-config.ts'
import { networkSettings } from '@tandem/party/config/network-settings.ts'
import type { SolverConfig } from '@tandem/party/config/schema.ts'
import { connectNetwork } from '@tandem/party/engine/network.ts'
import { startRollbackGuard } from '@tandem/party/engine/rollback/rollback-guard.ts'
import { openPriceFeed } from '@tandem/party/prices/open-feed.ts'
import { createSigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import { openDatabase } from '@tandem/party/store/database/database.ts'
import { claimDatabase } from '@tandem/party/store/database/owner.ts'
import type { Keep } from '@tandem/runtime/closing.ts'
import { type Logger, withProblems } from '@tandem/runtime/log.ts'
import { openKeys } from './open-keys.ts'
import { riskSettings } from './risk/settings.ts'

export type SolverBase = Awaited<ReturnType<typeof openSolverBase>>

export async function openSolverBase(loaded: LoadedConfig<SolverConfig>, parentLog: Logger, keep: Keep) {
  const { config, readSecret } = loaded
  const problems = { warn: 0, error: 0, fatal: 0 }
  const log = withProblems(parentLog, ({ level }) => {
    problems[level] += 1
  })
  const { keys, verifySigner } = await openKeys(loaded, log, keep)
  const signingKey = createSigningKey(await readSecret(config.signing_key))
  const settings = await networkSettings(loaded)
  const db = await openDatabase(await readSecret(config.database_url))
  keep(() => db.destroy())
  await claimDatabase(db, { party: 'solver' })
  const network = await connectNetwork(
    settings,
    (chain, error) => log.warn({ chain, err: error }, 'the node does not answer: starting without this chain until it does'),
    (warning) => log.warn(warning),
  )
  keep(network.close)
  const { registry, clients } = network
  await verifySigner(clients)
  const prices = await openPriceFeed({ config, registry, clients }, { db, log })
  keep(() => prices.stop())
  const guard = await startRollbackGuard({ db, path: loaded.pathOf(releaseLogOf(config)), log })
  keep(() => guard.stop())
  const nodes = Object.fromEntries(
    Object.entries(settings.chains).map(([id, chain]) => [id, Object.values(chain.endpoints).flat().map(urlOf)]),
  )
  return {
    config,
    log,
    problems,
    keys,
    signingKey,
    db,
    registry,
    clients,
    nodes,
    closeNetwork: network.close,
    prices,
    guard,
    limits: riskSettings(config.risk),
    now: () => BigInt(Math.floor(Date.now() / 1000)),
  }
}
