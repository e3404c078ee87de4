/** Runs a solver: its own keys, database and chain connections; an HTTP server for services; the engine. */
import { urlOf } from '@tandem/chain-kit/port/endpoints.ts'
import { readKeyring } from '@tandem/party/config/keyring.ts'
import type { LoadedConfig } from '@tandem/party/config/load-config.ts'
import { networkSettings } from '@tandem/party/config/network-settings.ts'
import { releaseLogOf } from '@tandem/party/config/release-log.ts'
import type { SolverConfig } from '@tandem/party/config/schema.ts'
import { type Engine, startEngine } from '@tandem/party/engine/engine.ts'
import { createDifferenceLog } from '@tandem/party/engine/evidence/differences.ts'
import { connectNetwork } from '@tandem/party/engine/network.ts'
import { startRollbackGuard } from '@tandem/party/engine/rollback/rollback-guard.ts'
import { createSigningLimit } from '@tandem/party/engine/signing-limit.ts'
import { startMetricsServer } from '@tandem/party/metrics/metrics-server.ts'
import { openPriceFeed } from '@tandem/party/prices/open-feed.ts'
import { createSigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import { openDatabase } from '@tandem/party/store/database/database.ts'
import { claimDatabase } from '@tandem/party/store/database/owner.ts'
import { createOrderWriter } from '@tandem/party/store/orders/order-writer.ts'
import { readInFlight } from '@tandem/party/store/solver/in-flight.ts'
import { createQuoteWriter } from '@tandem/party/store/solver/quotes.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { closeServer, createClosing, type Keep } from '@tandem/runtime/closing.ts'
import { type Logger, withProblems } from '@tandem/runtime/log.ts'
import { createChanges } from './changes.ts'
import { createKeptAnswers } from './instant-refund/kept-answers.ts'
import { createInventory } from './inventory.ts'
import { createSolverMetrics } from './metrics.ts'
import { createOwnTermsCheck } from './own-terms.ts'
import { createSolverParty } from './party.ts'
import { coded, inTurn, type PayCheck } from './pay-checks.ts'
import { createPayouts } from './payouts.ts'
import { createLegCosts } from './pricing/leg-costs.ts'
import { createPriceCheck } from './pricing/price-check.ts'
import { readPricing } from './pricing/pricing.ts'
import { createStockReader } from './pricing/stock.ts'
import { createWorthCheck } from './pricing/worth-check.ts'
import { createAdmissions } from './risk/admissions.ts'
import { createFeeWatch, negligibleCost } from './risk/breakers.ts'
import { isCapped } from './risk/caps.ts'
import { startCustomers } from './risk/customers.ts'
import { startExposureWatch } from './risk/exposure-watch.ts'
import { createFeeFunds } from './risk/fee-funds.ts'
import { startFeeFundsWatch } from './risk/fee-funds-watch.ts'
import { startHalts } from './risk/halts.ts'
import { createPairCap } from './risk/pair-cap.ts'
import { createRisk } from './risk/risk.ts'
import { riskSettings } from './risk/settings.ts'
import { createSolverServer } from './server.ts'
import { createSoftReservations } from './soft-reservations.ts'

export interface RunningSolver {
  readonly url: string
  readonly engine: Engine
  stop(): Promise<void>
}

/** A redeem waits this long for others to batch with and for the service to cosign: both make it cheaper. */
const DEFAULT_REDEEM_WAIT_SECONDS = 3600

/** Their network fees are kept back from the inventory of a chain's own coin. */
const FEE_SWAPS = 20n

const now = () => BigInt(Math.floor(Date.now() / 1000))

export async function startSolver(loaded: LoadedConfig<SolverConfig>, parentLog: Logger): Promise<RunningSolver> {
  const { keep, close: stop } = createClosing()
  try {
    return { ...(await start(loaded, parentLog, keep)), stop }
  } catch (error) {
    await stop().catch((failure: unknown) => parentLog.warn({ err: failure }, 'not everything could be closed'))
    throw error
  }
}

async function start(loaded: LoadedConfig<SolverConfig>, parentLog: Logger, keep: Keep): Promise<Omit<RunningSolver, 'stop'>> {
  const { config, readSecret } = loaded
  const problems = { warn: 0, error: 0, fatal: 0 }
  const log = withProblems(parentLog, ({ level }) => {
    problems[level] += 1
  })
  const keys = await readKeyring(config.private_key, readSecret)
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
  const prices = await openPriceFeed({ config, registry, clients }, { db, log })
  keep(() => prices.stop())
  const guard = await startRollbackGuard({ db, path: loaded.pathOf(releaseLogOf(config)), log })
  keep(() => guard.stop())
  const changes = createChanges()
  const limits = riskSettings(config.risk)
  const fees = createFeeWatch(limits.feeSpikeFactor)
  const legCosts = createLegCosts({
    registry,
    clients,
    prices,
    onTrouble: (asset, error) =>
      log.warn(
        { asset, err: error },
        'the network fees of this asset cannot be read: the last ones count for ten minutes, then it is not quoted',
      ),
    // One asset of a chain stands for all: their locks cost different amounts.
    onRead(asset, { initiate, decimals }) {
      const { id, nativeAsset } = registry.chain(registry.asset(asset).chain)
      if (activeAssetsOf(id)[0] === asset) fees.note(id, initiate, negligibleCost(prices.find(nativeAsset), decimals))
    },
  })
  const activeAssetsOf = (chain: ChainId) => registry.assetsOf(chain).flatMap(({ id, deployment }) => (deployment === null ? [] : [id]))
  const readFees = (chain: ChainId) => void legCosts.warm(activeAssetsOf(chain).slice(0, 1))
  const feeFunds = startFeeFundsWatch({
    readInFlight: () => readInFlight(db),
    reader: createFeeFunds({ registry, clients, keys, legCosts, peakFactor: limits.feePeakFactor }),
    log,
  })
  keep(() => feeFunds.stop())
  const exposure = startExposureWatch({ db, chains: registry.chains, capOf: limits.unfinalCap, unrevealedMost: limits.unrevealedMost, log })
  keep(() => exposure.stop())
  const halts = startHalts({ db, registry, log, now, priceHalt: prices.haltOf, fees, readFees, funds: feeFunds })
  keep(() => halts.stop())
  const customers = startCustomers({ db, log, now, ...limits })
  keep(() => customers.stop())
  const risk = createRisk({ halts, customers, exposure, ...limits, now })
  const pricing = readPricing(config, prices)
  const soft = createSoftReservations(now)
  const inventory = createInventory({
    db,
    registry,
    clients,
    keys,
    now,
    ...(isCapped(limits.caps.pair) && { whyOverCap: createPairCap({ db, now, ...limits }) }),
    onTrouble: (error) => log.warn({ err: error }, 'could not reserve inventory yet; will retry'),
    onReserved: soft.release,
    keptForFees: (asset) => pricing.feeReserves[asset] ?? legCosts.coinsFor(asset, FEE_SWAPS),
    async feeDuties(asset) {
      const { id, nativeAsset } = registry.chain(registry.asset(asset).chain)
      return asset === nativeAsset ? feeFunds.duties(id, await readInFlight(db)) : 0n
    },
  })
  const admissions = createAdmissions({
    db,
    funds: feeFunds,
    isShort: feeFunds.isShort,
    registry,
    unfinalCap: limits.unfinalCap,
    onTrouble: (error) => log.warn({ err: error }, 'could not admit an order yet; will retry'),
  })
  const payouts = createPayouts({ db, clients, keys })
  const payChecks: readonly PayCheck[] = [
    createOwnTermsCheck({ registry, clients, keys }),
    coded('price', createWorthCheck({ registry, pricing })),
    coded('price', createPriceCheck({ db, registry, pricing, now, noteGain: customers.noteGain })),
    coded('halt', risk.payCheck),
    coded('recipient', payouts.payCheck),
    coded('inventory', inTurn(inventory.payCheck, admissions.payCheck)),
  ]
  const nodes = Object.fromEntries(
    Object.entries(settings.chains).map(([id, chain]) => [id, Object.values(chain.endpoints).flat().map(urlOf)]),
  )
  const metrics = createSolverMetrics({
    db,
    log,
    problems,
    registry,
    chains: registry.chains,
    chainStatus: (chain) => engine.chainStatus(chain),
    nodes,
    now,
    inventory,
    feeFunds,
    exposure,
  })
  const onDifferences = createDifferenceLog(log, { onDifference: metrics.onDifference })
  const engine: Engine = startEngine({
    onAction: metrics.onAction,
    onDifferences,
    onActivity: changes.note,
    onReorg: (chain, reorg) =>
      void halts.noteReorg(chain, reorg).catch((error) => log.error({ chain, err: error }, 'could not halt a chain')),
    db,
    registry,
    clients,
    party: createSolverParty({
      db,
      keys,
      redeemWaitSeconds: BigInt(config.redeem_wait_seconds ?? DEFAULT_REDEEM_WAIT_SECONDS),
      payChecks,
      guard,
      onStates: (states) => void inventory.reserveSeen(states).then(() => admissions.admitSeen(states)),
      now,
    }),
    log,
    now,
  })
  keep(() => engine.stop())
  // Before the engine: what it asks of nodes must not hold it up.
  keep(network.close)
  const context = {
    db,
    registry,
    clients,
    keys,
    solverId: config.solver_id,
    payouts,
    inventory,
    soft,
    risk,
    pricing,
    stockOf: createStockReader(inventory, pricing.inventoryTargets),
    legCosts,
    quoteWriter: createQuoteWriter(db),
    orderWriter: createOrderWriter(db),
    signingLimit: createSigningLimit(db),
    keptAnswers: createKeptAnswers(),
    guard,
    payChecks,
    onDifferences,
    polls: engine.polls,
    now,
    expectOrders: engine.expectOrders,
    wake: engine.wake,
  }
  const server = createSolverServer({
    context,
    authentication: {
      key: signingKey,
      services: config.services.map(({ id, public_key: publicKey }) => ({ id, publicKey })),
    },
    log,
    chainHealthy: engine.chainHealthy,
    admits: engine.admits,
    changes,
    onHint: engine.wakeChain,
    announcedChains: engine.announcedChains,
  })
  keep(() => closeServer(server))
  await engine.ready()
  if (config.metrics !== undefined) {
    const metricsServer = await startMetricsServer(config.metrics, metrics.render)
    keep(metricsServer.close)
    log.info({ url: metricsServer.url }, 'metrics are served')
  }
  void legCosts.warm(registry.assets.filter(({ deployment }) => deployment !== null).map(({ id }) => id))
  // First of all: whoever takes over need not wait for our requests.
  keep(engine.handOver)
  return { url: await server.listen(config.listen), engine }
}
