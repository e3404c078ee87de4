/** Both parties get configuration files and keys, from which each can be started as a separate process. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Curve } from '@tandem/keys/key.ts'
import { createKey, curves } from '@tandem/keys/keyring.ts'
import type { ServiceConfig, SolverConfig } from '@tandem/party/config/schema.ts'
import type { SignerConfig } from '@tandem/party/config/signer-schema.ts'
import { createSigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import { deriveSealingKeys } from '@tandem/party/store/orders/sealed-values.ts'
import type { RegistryAdditions } from '@tandem/protocol/registry/addable.ts'
import { freePort } from './free-port.ts'
import type { LocalDatabases } from './local-databases.ts'
import type { LocalKeys, PrivateKeys, SolverKeys } from './local-keys.ts'
import type { LocalNetwork } from './local-network.ts'
import { type LocalPrices, type LocalSolver, servedBy } from './local-prices.ts'

export type LocalConfigs = {
  readonly serviceFile: string
  /** For a process with `--role api`: the same, without the vault key and the private keys that sign claims. */
  readonly apiFile: string
  readonly solverFile: string
  readonly otherSolverFiles: readonly string[]
  /** The signer has the keys of the first solver; null if that one has them itself. */
  readonly signerFile: string | null
}

export async function writeLocalConfigs(input: {
  readonly folder: string
  readonly port: number
  readonly keys: LocalKeys
  readonly solvers: readonly LocalSolver[]
  readonly network: LocalNetwork
  readonly registry: RegistryAdditions | null
  readonly databases: LocalDatabases
  readonly quoteBudgetMs: number | null
  readonly redeemWaitSeconds: number
  readonly prices: LocalPrices['settings']
  /** The first solver gets a signer. */
  readonly hasSigner: boolean
}): Promise<LocalConfigs> {
  const { folder, keys, network, databases } = input
  await mkdir(join(folder, 'keys'), { recursive: true })
  await rm(join(folder, 'releases'), { recursive: true, force: true })
  const writeSecret = async (name: string, value: string) => {
    await writeFile(join(folder, 'keys', name), `${value}\n`, { mode: 0o600 })
    return { file: `keys/${name}` }
  }
  const writeKeys = async (name: string, owner: PrivateKeys) => {
    const written = [...network.curves].map(async (curve) => [curve, await writeSecret(`${name}-${curve}`, owner[curve])] as const)
    return Object.fromEntries(await Promise.all(written))
  }

  const { endpoints: chains, deployments } = network
  const registry = input.registry === null ? {} : { registry: input.registry }
  const common = { environment: 'local', chains, deployments, ...registry, ...input.prices } as const
  const serviceKey = createSigningKey(keys.serviceSigning)
  const solvers = await Promise.all(
    input.solvers.map(async (profile, index) => {
      const { id, spreadBips } = profile
      const name = index === 0 ? 'solver' : `solver-${index + 1}`
      const [own, databaseUrl] = [keys.solvers[index], databases.solverUrls[index]]
      if (own === undefined || databaseUrl === undefined) throw new Error(`${id} has no keys or no database`)
      const served = servedBy(profile, network.chains)
      const ownChains = { ...common, chains: ofChains(chains, served), deployments: ofChains(deployments, served) }
      const inventory = await writeKeys(name, own.inventory)
      const signer = input.hasSigner && index === 0 ? await signerOf(ownChains, own, inventory, writeSecret) : null
      const config: SolverConfig = {
        ...ownChains,
        solver_id: id,
        database_url: databaseUrl,
        release_log: `releases/${name}.log`,
        // The port is chosen once, so that a party keeps it after a restart.
        listen: { host: '127.0.0.1', port: await freePort() },
        private_key: signer === null ? inventory : publicHalves(Object.keys(inventory), own.inventory),
        ...(signer !== null && { signer: { socket: signer.config.listen.socket, public_key: signer.publicKey } }),
        signing_key: await writeSecret(`${name}-signing`, own.signing),
        services: [{ id: 'local-service', public_key: serviceKey.publicKey }],
        spread_bips: spreadBips,
        fixed_fee_usd: '0.5',
        // Scripts expect the same amounts every time, but local fees move with every block, and what a script left unredeemed would add a premium to the next order.
        pricing: { network_cost_percent: 0 },
        risk: { premium: { withheld_bips: 0 } },
        quote_seconds: 60,
        redeem_wait_seconds: input.redeemWaitSeconds,
      }
      return { config, publicKey: createSigningKey(own.signing).publicKey, file: join(folder, `${name}.json`), signer }
    }),
  )
  const service: ServiceConfig = {
    ...common,
    database_url: databases.serviceUrl,
    release_log: 'releases/service.log',
    listen: { host: '127.0.0.1', port: input.port === 0 ? await freePort() : input.port },
    vault_key: await writeSecret('vault', keys.vault),
    relay_key: await writeKeys('relay', keys.relay),
    earnings: {
      signing_key: await writeKeys('claims', keys.claims),
      own_solvers: solvers.map(({ config: { solver_id: id } }) => id),
      ...payoutAsset(network),
    },
    ...destinationGas(
      network,
      solvers.map(({ config: { solver_id: id } }) => id),
    ),
    web: { local_file: resolve(folder, 'local.json') },
    // The webhooks of local apps are on this machine too.
    webhooks: { allow_private: true },
    // Local scripts may poll as fast as they like.
    public_feed: true,
    rate_limit: { per_minute: 1_000_000, per_address: 100_000_000, per_order: 100_000_000 },
    ...(input.quoteBudgetMs !== null && { quote_budget_ms: input.quoteBudgetMs }),
    solver_signing_key: await writeSecret('service-signing', keys.serviceSigning),
    solvers: solvers.map(({ config: { solver_id, listen }, publicKey }) => ({
      id: solver_id,
      url: `http://127.0.0.1:${listen.port}`,
      public_key: publicKey,
    })),
  }
  const { publicKey, sealKey } = deriveSealingKeys(keys.vault)
  const { vault_key: _, earnings, ...withoutVault } = service
  const claimKeys = publicHalves([...network.curves], keys.claims)
  const api: ServiceConfig = {
    ...withoutVault,
    sealing: { public_key: publicKey, seal_key: await writeSecret('seal', sealKey) },
    earnings: { ...earnings, signing_key: claimKeys },
  }
  const serviceFile = join(folder, 'service.json')
  const apiFile = join(folder, 'service-api.json')
  await rm(join(folder, 'signer'), { recursive: true, force: true })
  const signerFile = join(folder, 'signer.json')
  for (const { file, config, signer } of solvers) {
    await writeJson(file, config)
    if (signer !== null) await writeJson(signerFile, signer.config)
  }
  await writeJson(serviceFile, service)
  await writeJson(apiFile, api)
  const [first, ...others] = solvers.map(({ file }) => file)
  if (first === undefined) throw new Error('there is no solver')
  return { serviceFile, apiFile, solverFile: first, otherSolverFiles: others, signerFile: input.hasSigner ? signerFile : null }
}

function publicHalves(names: readonly string[], keys: PrivateKeys): Record<string, { readonly public_key: string }> {
  const halves = curves.filter((curve) => names.includes(curve)).map((curve) => [curve, publicHalf(curve, keys[curve])] as const)
  return Object.fromEntries(halves)
}

function publicHalf(curve: Curve, privateKey: string): { readonly public_key: string } {
  return { public_key: Buffer.from(createKey(curve, privateKey).publicKey).toString('hex') }
}

/** Play coins need no limits: they only show where limits would be. */
const PLAY_USD = '1000000000'

/** It has the same nodes and prices as its solver, because there are no others here. */
async function signerOf(
  chains: Pick<SignerConfig, 'environment' | 'chains' | 'registry' | 'deployments' | 'prices' | 'price_feed'>,
  own: SolverKeys,
  inventory: SignerConfig['private_key'],
  writeSecret: (name: string, value: string) => Promise<{ readonly file: string }>,
) {
  const config = {
    ...chains,
    private_key: inventory,
    signing_key: await writeSecret('signer-signing', own.signerSigning),
    listen: { socket: 'signer.sock' },
    clients: [{ id: 'local-solver', public_key: createSigningKey(own.signing).publicKey }],
    journal: 'signer/journal',
    limits_usd: { order: PLAY_USD, hour: PLAY_USD, open: PLAY_USD },
  } satisfies SignerConfig
  return { config, publicKey: createSigningKey(own.signerSigning).publicKey }
}

function ofChains<T>(all: Readonly<Record<string, T>>, served: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(all).filter(([key]) => served.includes(key.split(':')[0] ?? '')))
}

/** Any asset of a chain whose contracts pay affiliates would do; a dollar is easy to read. */
function payoutAsset({ deployments, distributors }: LocalNetwork): { readonly asset?: string } {
  const asset = Object.keys(deployments).find((id) => id.endsWith(':usdc') && distributors.some((chain) => id.startsWith(`${chain}:`)))
  return asset === undefined ? {} : { asset }
}

function destinationGas({ gasGivers }: LocalNetwork, solvers: string[]): Pick<ServiceConfig, 'destination_gas'> {
  if (gasGivers.length === 0) return {}
  return { destination_gas: { usd: Object.fromEntries(gasGivers.map((chain) => [chain, '0.50'])), solvers } }
}

/** Only the owner can read the file, because it may hold keys. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  await writeFile(path, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
}
