/** Starts everything on this machine: databases, chains, contracts, a funded solver, the service. Writes only below its own folder. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { loadConfig } from '../config/load-config.ts'
import { ServiceConfig, SolverConfig } from '../config/schema.ts'
import type { Logger } from '../log.ts'
import { TandemError } from '../protocol/error.ts'
import { type RunningService, startService } from '../service/main.ts'
import { type RunningSolver, startSolver } from '../solver/main.ts'
import { createApp } from '../store/apps/apps.ts'
import { openDatabase } from '../store/database/database.ts'
import { chooseChains } from './choose-chains.ts'
import { startControlServer } from './control-server.ts'
import { fundEveryone } from './fund-everyone.ts'
import { type LocalConfigs, writeJson, writeLocalConfigs } from './local-configs.ts'
import { type LocalDatabases, openLocalDatabases } from './local-databases.ts'
import type { LocalJson } from './local-json.ts'
import { createLocalKeys } from './local-keys.ts'
import { type LocalNetwork, type LocalNetworkOptions, startLocalNetwork } from './local-network.ts'
import { createRestartable, type Restartable } from './restartable.ts'

export interface LocalStack {
  readonly info: LocalJson
  readonly network: LocalNetwork
  readonly configs: LocalConfigs
  readonly service: Restartable<RunningService>
  readonly solver: Restartable<RunningSolver>
  stop(): Promise<void>
}

export type LocalStackOptions = {
  /** Where it writes: `.tandem`, or a temporary folder in tests. */
  readonly folder: string
  readonly port: number
  readonly log: Logger
  /** Names of the chains to run (see `chooseChains`); all unless given. */
  readonly chains?: readonly string[]
  /** Default: timed. */
  readonly mining?: LocalNetworkOptions['mining']
  /** A PostgreSQL server to use instead of the embedded one; its two databases are recreated. */
  readonly databaseServerUrl?: string
  /** Chains that already run, by id; they are closed with the stack. */
  readonly runningChains?: LocalNetworkOptions['running']
  /** Databases that exist already, for tests. */
  readonly databases?: LocalDatabases
  /** How long the solver's redeems wait for a batch. */
  readonly redeemWaitSeconds?: number
  /** False: chains, databases and configuration files only; the parties are started by hand. */
  readonly startParties?: boolean
  readonly onProgress?: (what: string) => void
}

/** Long enough for the destination to be final, so that the service signs the redeem too. */
const DEFAULT_REDEEM_WAIT_SECONDS = 20

export async function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  const { folder, log, mining = 'timed', startParties = true, onProgress = () => undefined } = options
  const chains = chooseChains(options.chains)
  const cleanups: (() => Promise<void>)[] = []
  const stop = async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  }
  /** Registers the cleanup as soon as a part runs, so that a later failure leaves nothing behind. */
  const keep = <T>(running: T, cleanup: (running: T) => Promise<void>): T => {
    cleanups.push(() => cleanup(running))
    return running
  }
  try {
    const keys = createLocalKeys()
    await mkdir(folder, { recursive: true })
    onProgress('database and chains')
    const starting = await Promise.allSettled([
      Promise.resolve(options.databases ?? openLocalDatabases(folder, options.databaseServerUrl)).then((databases) =>
        keep(databases, (d) => d.close()),
      ),
      startLocalNetwork(keys, { chains, mining, ...(options.runningChains !== undefined && { running: options.runningChains }) }).then(
        (running) => keep(running, (n) => n.close()),
      ),
    ])
    const [databases, network] = [fulfilled(starting[0]), fulfilled(starting[1])]
    onProgress('contracts and wallets')
    const wallets = await fundEveryone(network, keys)
    const configs = await writeLocalConfigs({
      folder,
      port: options.port,
      keys,
      network,
      databases,
      redeemWaitSeconds: options.redeemWaitSeconds ?? DEFAULT_REDEEM_WAIT_SECONDS,
    })

    const solver = createRestartable(async () =>
      startSolver(await loadConfig(SolverConfig, configs.solverFile), log.child({ party: 'solver' })),
    )
    const service = createRestartable(async () =>
      startService(await loadConfig(ServiceConfig, configs.serviceFile), log.child({ party: 'service' })),
    )
    if (startParties) {
      onProgress('solver and service')
      await keep(solver, (s) => s.setRunning(false)).setRunning(true)
      await keep(service, (s) => s.setRunning(false)).setRunning(true)
    }
    const setSolverRunning = startParties ? solver.setRunning : refuseSwitch
    const control = keep(await startControlServer({ fund: network.fund, setSolverRunning }), (c) => c.close())
    const { config } = await loadConfig(ServiceConfig, configs.serviceFile)
    const info: LocalJson = {
      base_url: `http://${config.listen.host}:${config.listen.port}/v2`,
      app_id: await makeApp(databases.serviceUrl),
      chains: network.descriptions,
      faucet_url: control.faucetUrl,
      solver_switch_url: control.solverSwitchUrl,
      wallets,
    }
    const infoFile = keep(join(folder, 'local.json'), (file) => rm(file, { force: true }))
    await writeJson(infoFile, info)
    return { info, network, configs, service, solver, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function refuseSwitch(): Promise<void> {
  throw new TandemError('conflict', 'the solver is a separate process here: stop and start it in its terminal')
}

function fulfilled<T>(result: PromiseSettledResult<T>): T {
  if (result.status === 'rejected') throw result.reason
  return result.value
}

async function makeApp(databaseUrl: string): Promise<string> {
  const db = await openDatabase(databaseUrl)
  try {
    return (await createApp(db, 'local')).appId
  } finally {
    await db.destroy()
  }
}
