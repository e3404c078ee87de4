/** The API and the engine of the service both need these: the database, chains, prices, solvers and secrets. */
import { urlOf } from '@tandem/chain-kit/port/endpoints.ts'
import type { Keyring, PublicKeyring } from '@tandem/keys/keyring.ts'
import { readKeyring, readPublicKeyring } from '@tandem/party/config/keyring.ts'
import type { LoadedConfig } from '@tandem/party/config/load-config.ts'
import { networkSettings } from '@tandem/party/config/network-settings.ts'
import type { ServiceConfig } from '@tandem/party/config/schema.ts'
import { connectNetwork } from '@tandem/party/engine/network.ts'
import { openPriceFeed } from '@tandem/party/prices/open-feed.ts'
import { createSigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import { openDatabase } from '@tandem/party/store/database/database.ts'
import { claimDatabase } from '@tandem/party/store/database/owner.ts'
import { createSealer, type Vault } from '@tandem/party/store/orders/sealed-values.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Keep } from '@tandem/runtime/closing.ts'
import { type Logger, withProblems } from '@tandem/runtime/log.ts'
import { completeSettings, type ServiceContext } from './context.ts'
import { assertUsableGasSettings } from './destination-gas/destination-gas.ts'
import { createRecentProblems, type RecentProblems } from './operator/recent-problems.ts'
import { publishIdentity, readIdentity } from './relay-identity.ts'
import { readSealingKeys, readVault } from './sealing.ts'
import { serviceOptions } from './service-options.ts'
import { createSolverClient } from './solver-client.ts'

export type ServiceBase = Pick<
  ServiceContext,
  'db' | 'registry' | 'clients' | 'solvers' | 'sealer' | 'prices' | 'settings' | 'log' | 'now'
> & {
  readonly loaded: LoadedConfig<ServiceConfig>
  readonly signingSeed: string
  /** Solvers know the service by this public key. */
  readonly serviceKey: string
  /** These are null in a process without an engine, which does not have them. */
  readonly engineKeys: EngineKeys | null
  readonly payer: PublicKeyring
  /** The contracts that pay affiliates follow from these keys. */
  readonly claimKeys: PublicKeyring | null
  readonly nodes: Readonly<Record<ChainId, readonly string[]>>
  readonly problems: RecentProblems
  /** Aborts all requests to the nodes. */
  readonly closeNetwork: () => Promise<void>
}

export type EngineKeys = {
  /** The relay keys pay the network fees. */
  readonly relay: Keyring
  /** The vault opens the secrets and keys of orders. */
  readonly vault: Vault
  /** The keys sign what affiliates can claim. Null if they are not paid by contracts. */
  readonly claims: Keyring | null
}

const SOLVER_TIMEOUT_MS = 10_000

const now = () => BigInt(Math.floor(Date.now() / 1000))

export async function openBase(
  loaded: LoadedConfig<ServiceConfig>,
  parentLog: Logger,
  { hasEngine }: { readonly hasEngine: boolean },
  keep: Keep,
): Promise<ServiceBase> {
  const { config, readSecret } = loaded
  const claimReferences = config.earnings?.signing_key
  const problems = createRecentProblems()
  const log = withProblems(parentLog, problems.add)
  const engineKeys = hasEngine
    ? {
        vault: await readVault(loaded, 'a process with an engine'),
        relay: await readKeyring(config.relay_key, loaded),
        claims: claimReferences === undefined ? null : await readKeyring(claimReferences, loaded),
      }
    : null
  const claimKeys = engineKeys?.claims ?? (claimReferences === undefined ? null : await readPublicKeyring(claimReferences, loaded))
  const sealer = engineKeys?.vault ?? createSealer(await readSealingKeys(loaded))
  const signingSeed = await readSecret(config.solver_signing_key)
  const signingKey = createSigningKey(signingSeed)
  const solvers = config.solvers.map(({ id, url, public_key: publicKey }) =>
    createSolverClient({ id, baseUrl: url, signingKey, publicKey, timeoutMs: SOLVER_TIMEOUT_MS }),
  )
  const endpoints = await networkSettings(loaded)
  const db = await openDatabase(await readSecret(config.database_url))
  keep(() => db.destroy())
  await claimDatabase(db, { party: 'service', sealer, setting: hasEngine ? 'vault_key' : 'sealing' })
  if (engineKeys !== null) await publishIdentity(db, engineKeys.relay)
  const payer = engineKeys?.relay ?? (await readIdentity(db, log))
  const { registry, clients, close } = await connectNetwork(
    endpoints,
    (chain, error) => log.warn({ chain, err: error }, 'the node does not answer: starting without this chain until it does'),
    (warning) => log.warn(warning),
    payer,
  )
  keep(close)
  const settings = completeSettings(serviceOptions(config))
  assertUsableGasSettings({ settings, clients, solvers })
  const prices = await openPriceFeed({ config, registry, clients }, { db, log })
  keep(() => prices.stop())
  return {
    loaded,
    db,
    registry,
    clients,
    solvers,
    sealer,
    prices,
    settings,
    log,
    now,
    signingSeed,
    serviceKey: signingKey.publicKey,
    engineKeys,
    payer,
    claimKeys,
    nodes: Object.fromEntries(
      Object.entries(endpoints.chains).map(([id, chain]) => [id, Object.values(chain.endpoints).flat().map(urlOf)]),
    ),
    problems,
    closeNetwork: close,
  }
}
