/** A process of the service runs the API for integrators' apps, the engine that relays, redeems and refunds for their users, or both. */

import type { LoadedConfig } from '@tandem/party/config/load-config.ts'
import type { ServiceConfig } from '@tandem/party/config/schema.ts'
import { openEngineLink } from '@tandem/party/engine/engine-link.ts'
import { startMetricsServer } from '@tandem/party/metrics/metrics-server.ts'
import { createServiceMetrics } from '@tandem/party/metrics/service-metrics.ts'
import { closeServer, type Keep, startClosable } from '@tandem/runtime/closing.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import type { LoadMonitor } from './api/load/load-monitor.ts'
import { type ApiMemory, createApiMemory, createServiceApi, type EngineView } from './api-side.ts'
import { openBase, type ServiceBase } from './base.ts'
import { askForClaims } from './earnings/ask-for-claims.ts'
import { openEngineQuestions } from './engine-questions/ask-engine.ts'
import { startEngineSide } from './engine-side.ts'
import { refundWishes } from './instant-refund/refund-wish.ts'
import { createReadiness } from './readiness.ts'
import type { Role } from './role.ts'
import { followPayments } from './solvers/follow-payments.ts'
import { followSolverKeys } from './solvers/solver-keys.ts'

export interface RunningService {
  /** The URL of the API is null if this process serves none. */
  readonly url: string | null
  stop(): Promise<void>
}

/** Tests set `load`; by default the load of this process is measured. */
export async function startService(
  loaded: LoadedConfig<ServiceConfig>,
  parentLog: Logger,
  role: Role = 'both',
  load: LoadMonitor | null = null,
): Promise<RunningService> {
  return startClosable(
    async (keep) => {
      const base = await openBase(loaded, parentLog, { hasEngine: role !== 'api' }, keep)
      return { url: await start(base, role === 'engine' ? null : createApiMemory(base), load, keep) }
    },
    (failure) => parentLog.warn({ err: failure }, 'not everything could be closed'),
  )
}

/** Resolves to the URL of the API. `memory` is null in a process without an API. */
async function start(base: ServiceBase, memory: ApiMemory | null, load: LoadMonitor | null, keep: Keep): Promise<string | null> {
  const { db, log, registry, problems, nodes, now, engineKeys, loaded } = base
  const { config } = loaded
  const chainStatus: EngineView['chainStatus'] = (chain) => engines.chainStatus(chain)
  const metrics = createServiceMetrics({ db, log, problems: problems.counts, chains: registry.chains, chainStatus, nodes, now })
  const engines =
    engineKeys === null ? followEngines(base, memory, keep) : await startEngineSide(base, { keys: engineKeys, metrics, memory }, keep)
  const api = memory === null ? null : await createServiceApi(base, memory, { engines, metrics, load })
  if (api !== null) keep(() => closeServer(api))
  if (memory !== null) keep(followSolverKeys(base, memory.solverKeys).stop)
  await engines.ready()
  const address = api === null ? config.engine_health : config.metrics
  if (address !== undefined) {
    const readiness = createReadiness({ db, log, registry, chainHealthy: engines.chainHealthy, engineProblem: engines.problem })
    const server = await startMetricsServer(address, metrics.render, api === null ? readiness : null)
    keep(server.close)
    log.info({ url: server.url }, 'metrics are served')
  }
  // This must close first, so that the engine that takes over need not wait for the requests of this process.
  if (engines.handOver !== undefined) keep(engines.handOver)
  return (await api?.listen(config.listen)) ?? null
}

/** A process without a key to move money follows the engines of other processes. */
function followEngines(base: ServiceBase, memory: ApiMemory | null, keep: Keep): EngineView {
  const link = openEngineLink({ ...base, onDerived: () => memory?.events.wake() })
  keep(link.stop)
  const follower = followPayments(base, (states) => memory?.watchPayments(states))
  keep(follower.stop)
  const questions = openEngineQuestions(base)
  keep(questions.stop)
  return {
    ...link,
    signRefunds: async (wish) => void (await questions.ask(refundWishes, wish)),
    signClaims: askForClaims({ questions, engineProblem: link.problem }),
  }
}
