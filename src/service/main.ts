/** Runs the service: the API for integrators' apps, and the engine that relays, redeems and refunds for their users. */

import { readKeyring } from '../config/keyring.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { networkSettings } from '../config/network-settings.ts'
import { releaseLogOf } from '../config/release-log.ts'
import type { ServiceConfig } from '../config/schema.ts'
import { type Engine, startEngine } from '../engine/engine.ts'
import { connectNetwork } from '../engine/network.ts'
import { startRollbackGuard } from '../engine/rollback/rollback-guard.ts'
import { type Logger, withProblems } from '../log.ts'
import { type MetricsServer, startMetricsServer } from '../metrics/metrics-server.ts'
import { createServiceMetrics } from '../metrics/service-metrics.ts'
import { openPriceFeed } from '../prices/open-feed.ts'
import type { ChainId } from '../protocol/chain-id.ts'
import { createSigningKey } from '../solver-auth/signing-key.ts'
import { openDatabase } from '../store/database/database.ts'
import { countSettledOrders } from '../store/order-list/settled-orders.ts'
import { findOrder } from '../store/orders/orders.ts'
import { createVault } from '../store/orders/sealed-values.ts'
import { createApi } from './api/app.ts'
import { createCosignTasks } from './batch-redeem/offer-cosign.ts'
import { completeSettings } from './context.ts'
import { createClaims } from './earnings/claims.ts'
import { createEventStreams } from './events/event-streams.ts'
import { createHints } from './hints/hints.ts'
import { createDepositQuestions } from './instant-refund/ask-about-deposits.ts'
import { createAutomaticRefundTasks } from './instant-refund/automatic-refunds.ts'
import { noteRefundCost } from './instant-refund/refund-budget.ts'
import { createRecentProblems } from './operator/recent-problems.ts'
import { startOrderLog } from './order-log/order-log.ts'
import { loadOrderState } from './orders/load-order-state.ts'
import { sponsorPayout } from './orders/sponsor-payout.ts'
import { fillTasks } from './partial-deposits/agree-on-fill.ts'
import { createServiceParty } from './party.ts'
import { createCollectTasks } from './prefund/collect-prefunds.ts'
import { createQuoteIds } from './quotes/quote-ids.ts'
import { serviceOptions } from './service-options.ts'
import { createSolverClient } from './solver-client.ts'
import { createSolverSync, type SyncContext } from './solver-sync/solver-sync.ts'
import { createPaymentWatch } from './solvers/payment-watch.ts'
import { createPayoutTrial } from './solvers/payout-trial.ts'
import { createSolverPool } from './solvers/pool.ts'
import { startWebhookWorker } from './webhooks/webhook-worker.ts'

export interface RunningService {
  readonly url: string
  readonly engine: Engine
  stop(): Promise<void>
}

const SOLVER_TIMEOUT_MS = 10_000

const now = () => BigInt(Math.floor(Date.now() / 1000))

export async function startService(loaded: LoadedConfig<ServiceConfig>, parentLog: Logger): Promise<RunningService> {
  const { config, readSecret } = loaded
  const problems = createRecentProblems()
  const log = withProblems(parentLog, problems.note)
  const claimKeys = config.earnings === undefined ? null : await readKeyring(config.earnings.signing_key, readSecret)
  const vault = createVault(await readSecret(config.vault_key))
  const relay = await readKeyring(config.relay_key, readSecret)
  const signingSeed = await readSecret(config.solver_signing_key)
  const signingKey = createSigningKey(signingSeed)
  const solvers = config.solvers.map(({ id, url, public_key: publicKey }) =>
    createSolverClient({ id, baseUrl: url, signingKey, publicKey, timeoutMs: SOLVER_TIMEOUT_MS }),
  )
  const endpoints = await networkSettings(loaded)
  const db = await openDatabase(await readSecret(config.database_url))
  const network = await connectNetwork(
    endpoints,
    (chain, error) => log.warn({ chain, err: error }, 'the node does not answer: starting without this chain until it does'),
    (warning) => log.warn(warning),
    relay,
  ).catch(async (error) => {
    await db.destroy()
    throw error
  })
  const { registry, clients } = network
  const pool = createSolverPool({ solvers, log, readSettled: () => countSettledOrders(db) })
  const prices = await openPriceFeed({ config, registry, clients }, { db, log }).catch(async (error) => {
    await network.close()
    await db.destroy()
    throw error
  })
  const guard = await startRollbackGuard({ db, path: loaded.pathOf(releaseLogOf(config)), log }).catch(async (error) => {
    await prices.stop()
    await network.close()
    await db.destroy()
    throw error
  })
  const settings = completeSettings(serviceOptions(config))
  const events = createEventStreams({ db, registry, log, now, limits: settings.streamLimits })
  const webhooks = startWebhookWorker({ db, vault, registry, now, log, allowPrivate: config.webhooks?.allow_private ?? false })
  const context: SyncContext = {
    db,
    registry,
    clients,
    solvers,
    vault,
    prices,
    settings,
    log,
    now,
    wake: () => engine.wake(),
    get polls() {
      return engine.polls
    },
  }
  const sync = createSolverSync(context, [
    (states) => fillTasks(context, states),
    createDepositQuestions(context),
    createAutomaticRefundTasks(context),
    createCosignTasks(context),
    createCollectTasks(context),
  ])
  const watchPayments = createPaymentWatch({ pool, log, readState, tryPayout: createPayoutTrial({ db, clients }) })
  const party = createServiceParty({
    db,
    vault,
    relay,
    guard,
    onReconciled(states) {
      watchPayments(states)
      return sync.startDueTasks(states)
    },
    sponsorPayout: (order, amount) => sponsorPayout(context, order, amount),
    onInstantRefund: (order) => noteRefundCost(context, order),
  })
  const nodes = Object.fromEntries(Object.entries(endpoints.chains).map(([id, chain]) => [id, Object.values(chain.endpoints).flat()]))
  const chainStatus = (chain: ChainId) => engine.chainStatus(chain)
  const metrics = createServiceMetrics({ db, log, problems: problems.counts, chains: registry.chains, chainStatus, nodes, now })
  const orderLog = startOrderLog({ db, registry, log, now, onStep: metrics.onStep })
  const hints = createHints(solvers, { onHint: (chain) => engine.wakeChain(chain), toldOfBlocks: () => engine.toldOfBlocks() })
  const engine: Engine = startEngine({ db, registry, clients, party, log, now, onNews: hints.tell, onDerived, onAction: metrics.onAction })
  const api = createApi({
    db,
    registry,
    clients,
    solvers,
    pool,
    claims: createClaims({ clients, log }, claimKeys),
    quoteIds: createQuoteIds(signingSeed),
    events,
    vault,
    prices,
    log,
    now,
    expectNews(chains) {
      engine.expectNews(chains)
      orderLog.wake()
    },
    wake: engine.wake,
    chainHealthy: engine.chainHealthy,
    admits: engine.admits,
    operator: { relay, problems, chainStatus, nodes, metrics },
    settings: serviceOptions(config),
  })
  let metricsServer: MetricsServer | null = null
  try {
    await engine.ready()
    if (config.metrics !== undefined) {
      metricsServer = await startMetricsServer(config.metrics, metrics.render)
      log.info({ url: metricsServer.url }, 'metrics are served')
    }
    return { url: await api.listen(config.listen), engine, stop }
  } catch (error) {
    await stop()
    throw error
  }

  function onDerived(): void {
    orderLog.wake()
    events.wake()
    webhooks.wake()
  }

  async function readState(orderId: string) {
    const stored = await findOrder(db, orderId)
    return stored === null ? null : loadOrderState(db, registry, stored, now())
  }

  async function stop() {
    await api.close()
    await metricsServer?.close()
    await orderLog.stop()
    await engine.stop()
    await guard.stop()
    await webhooks.stop()
    await sync.stop()
    await hints.stop()
    await prices.stop()
    await network.close()
    await db.destroy()
  }
}
