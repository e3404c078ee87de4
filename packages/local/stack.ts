/** Everything starts on this machine: databases, chains, contracts, funded solvers, the service. Only its own folder is written to. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TickerServer } from '@tandem/chain-kit/local/ticker/ticker-server.ts'
import { environmentWith } from '@tandem/families/registry.ts'
import { loadConfig } from '@tandem/party/config/load-config.ts'
import { ServiceConfig, SolverConfig } from '@tandem/party/config/schema.ts'
import { createApp } from '@tandem/party/store/apps/apps.ts'
import { openDatabase } from '@tandem/party/store/database/database.ts'
import { createOperatorToken } from '@tandem/party/store/operators/tokens.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { RegistryAdditions } from '@tandem/protocol/registry/addable.ts'
import { type Keep, startClosable } from '@tandem/runtime/closing.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import type { LoadMonitor } from '@tandem/service/api/load/load-monitor.ts'
import { type RunningService, startService } from '@tandem/service/main.ts'
import { type RunningSolver, startSolver } from '@tandem/solver/main.ts'
import { chooseChains } from './choose-chains.ts'
import { startControlServer } from './control-server.ts'
import { fundEveryone } from './fund-everyone.ts'
import { type LocalConfigs, writeJson, writeLocalConfigs } from './local-configs.ts'
import { type LocalDatabases, openLocalDatabases } from './local-databases.ts'
import type { LocalJson } from './local-json.ts'
import { createLocalKeys } from './local-keys.ts'
import { type LocalNetwork, type LocalNetworkOptions, startLocalNetwork } from './local-network.ts'
import { type LocalPriceFeed, localSolvers, type SolverCount, startLocalPrices } from './local-prices.ts'
import { type StackProcess, startServiceProcess, startStackProcess } from './service-process.ts'

export interface LocalStack {
  readonly info: LocalJson
  readonly network: LocalNetwork
  readonly configs: LocalConfigs
  /** The parties read prices from these exchanges. Null means that prices are fixed. */
  readonly ticker: TickerServer | null
  readonly service: Restartable<RunningService>
  /** The service's engine runs in this process. It is null if the engine is in `service`. */
  readonly engine: Restartable<StackProcess> | null
  /** It has the keys of the first solver. It is null if that one has them itself. */
  readonly signer: Restartable<StackProcess> | null
  readonly solver: Restartable<RunningSolver>
  readonly otherSolvers: readonly Restartable<RunningSolver>[]
  stop(): Promise<void>
}

export type LocalStackOptions = {
  readonly folder: string
  readonly port: number
  readonly log: Logger
  /** The names are those of `chooseChains`. The default is all chains. */
  readonly chains?: readonly string[]
  readonly mining?: LocalNetworkOptions['mining']
  /** This PostgreSQL server replaces the embedded one; its two databases are recreated. */
  readonly databaseServerUrl?: string
  /** These chains run already; they are closed with the stack. */
  readonly runningChains?: LocalNetworkOptions['running']
  readonly databases?: LocalDatabases
  /** Both parties get these chains and assets beside those of the registry. Their chains must run already. */
  readonly registry?: RegistryAdditions
  readonly solvers?: SolverCount
  readonly quoteBudgetMs?: number
  /** By default the load of this process is measured. Tests set it. */
  readonly load?: LoadMonitor
  readonly redeemWaitSeconds?: number
  /** Without these settings prices are fixed. */
  readonly livePrices?: LocalPriceFeed
  readonly split?: boolean
  /** If false, only chains, databases and configuration files are made, and the parties are started by hand. */
  readonly startParties?: boolean
  readonly onProgress?: (what: string) => void
}

/** The wait is long enough for the destination to be final, so that the service signs the redeem too. */
const DEFAULT_REDEEM_WAIT_SECONDS = 20

export function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  return startClosable(
    (keep) => start(options, keep),
    (failure) => options.log.warn({ err: failure }, 'not everything could be closed'),
  )
}

async function start(options: LocalStackOptions, keepClose: Keep): Promise<Omit<LocalStack, 'stop'>> {
  const { folder, log, mining = 'timed', startParties = true, onProgress = () => undefined } = options
  const { rows, problems } = environmentWith('local', options.registry)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  const chains = chooseChains(options.chains, rows.chains)
  const keep = <T>(running: T, close: (running: T) => Promise<unknown>): T => {
    keepClose(() => close(running))
    return running
  }
  const solvers = localSolvers(options.solvers ?? 1)
  const keys = createLocalKeys(solvers.length)
  await mkdir(folder, { recursive: true })
  onProgress('database and chains')
  const starting = await Promise.allSettled([
    Promise.resolve(
      options.databases ??
        openLocalDatabases({
          folder,
          solvers: solvers.length,
          onProgress,
          ...(options.databaseServerUrl !== undefined && { serverUrl: options.databaseServerUrl }),
        }),
    ).then((databases) => keep(databases, (d) => d.close())),
    startLocalNetwork(keys, { chains, mining, rows, ...(options.runningChains !== undefined && { running: options.runningChains }) }).then(
      (running) => keep(running, (n) => n.close()),
    ),
  ])
  const [databases, network] = [fulfilled(starting[0]), fulfilled(starting[1])]
  onProgress('contracts and wallets')
  const wallets = await fundEveryone(network, keys, solvers)
  const { ticker, settings: prices } = keep(await startLocalPrices(network.prices, options.livePrices ?? null), async (started) =>
    started.ticker?.close(),
  )
  const configs = await writeLocalConfigs({
    folder,
    port: options.port,
    keys,
    solvers,
    network,
    registry: options.registry ?? null,
    databases,
    quoteBudgetMs: options.quoteBudgetMs ?? null,
    redeemWaitSeconds: options.redeemWaitSeconds ?? DEFAULT_REDEEM_WAIT_SECONDS,
    prices,
    hasSigner: options.split === true,
  })

  const createSolver = (file: string) =>
    createRestartable(async () => {
      const loaded = await loadConfig(SolverConfig, file)
      return startSolver(loaded, log.child({ party: 'solver', id: loaded.config.solver_id }))
    })
  const solver = createSolver(configs.solverFile)
  const otherSolvers = configs.otherSolverFiles.map(createSolver)
  const setSolversRunning = async (running: boolean) => {
    await Promise.all([solver, ...otherSolvers].map((one) => one.setRunning(running)))
  }
  const engine = options.split === true ? createRestartable(() => startServiceProcess('engine', configs.serviceFile, log.level)) : null
  const { signerFile } = configs
  const signer = signerFile === null ? null : createRestartable(() => startStackProcess(['signer'], signerFile, log.level))
  const service = createRestartable(async () =>
    startService(
      await loadConfig(ServiceConfig, engine === null ? configs.serviceFile : configs.apiFile),
      log.child({ party: 'service' }),
      engine === null ? 'both' : 'api',
      options.load,
    ),
  )
  if (startParties) {
    onProgress(otherSolvers.length === 0 ? 'solver and service' : `${solvers.length} solvers and service`)
    if (signer !== null) await keep(signer, (s) => s.setRunning(false)).setRunning(true)
    await keep(setSolversRunning, (setRunning) => setRunning(false))(true)
    if (engine !== null) await keep(engine, (e) => e.setRunning(false)).setRunning(true)
    await keep(service, (s) => s.setRunning(false)).setRunning(true)
  }
  const setSolverRunning = startParties ? setSolversRunning : refuseSwitch
  const { config } = await loadConfig(ServiceConfig, configs.serviceFile)
  const origins = ['127.0.0.1', 'localhost'].map((host) => `http://${host}:${config.listen.port}`)
  const { fund, passTime } = network
  const control = keep(await startControlServer({ fund, passTime, setSolverRunning, origins }), (c) => c.close())
  const info: LocalJson = {
    base_url: `http://${config.listen.host}:${config.listen.port}/v2`,
    ...(await makeAccess(databases.serviceUrl, `http://${config.listen.host}:${config.listen.port}`)),
    chains: network.descriptions,
    faucet_url: control.faucetUrl,
    solver_switch_url: control.solverSwitchUrl,
    time_url: control.timeUrl,
    wallets,
  }
  const infoFile = keep(join(folder, 'local.json'), (file) => rm(file, { force: true }))
  await writeJson(infoFile, info)
  return { info, network, configs, ticker, service, engine, signer, solver, otherSolvers }
}

async function refuseSwitch(): Promise<void> {
  throw new TandemError('conflict', 'the solver is a separate process here: stop and start it in its terminal')
}

function fulfilled<T>(result: PromiseSettledResult<T>): T {
  if (result.status === 'rejected') throw result.reason
  return result.value
}

/** An app for integrators and a token for the operator are made. The token is in the fragment of its URL, which browsers send to nobody. */
async function makeAccess(databaseUrl: string, serviceUrl: string): Promise<Pick<LocalJson, 'app_id' | 'operator_url'>> {
  const db = await openDatabase(databaseUrl)
  try {
    const { appId } = await createApp(db, 'local', { permissions: ['read', 'trade', 'explain'] })
    return { app_id: appId, operator_url: `${serviceUrl}/operator#token=${await createOperatorToken(db, 'local', true)}` }
  } finally {
    await db.destroy()
  }
}

interface Restartable<T extends { stop(): Promise<void> }> {
  current(): T | null
  setRunning(running: boolean): Promise<void>
}

export function createRestartable<T extends { stop(): Promise<void> }>(start: () => Promise<T>): Restartable<T> {
  let instance: T | null = null
  let last: Promise<void> = Promise.resolve()

  async function change(running: boolean): Promise<void> {
    if (running && instance === null) instance = await start()
    if (!running && instance !== null) {
      const stopping = instance
      instance = null
      await stopping.stop()
    }
  }

  return {
    current: () => instance,
    setRunning(running) {
      const next = last.then(() => change(running))
      last = next.catch(() => undefined)
      return next
    },
  }
}
