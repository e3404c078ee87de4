/** Runs a solver: its own keys, database and chain connections; an HTTP server for services; the engine. */

import type { LoadedConfig } from '@tandem/party/config/load-config.ts'
import type { SolverConfig } from '@tandem/party/config/schema.ts'
import { type Engine, startEngine } from '@tandem/party/engine/engine.ts'
import { createDifferenceLog } from '@tandem/party/engine/evidence/differences.ts'
import { createSigningLimit } from '@tandem/party/engine/signing-limit.ts'
import { startMetricsServer } from '@tandem/party/metrics/metrics-server.ts'
import { createOrderWriter } from '@tandem/party/store/orders/order-writer.ts'
import { readInFlight } from '@tandem/party/store/solver/in-flight.ts'
import { createQuoteWriter } from '@tandem/party/store/solver/quotes.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { closeServer, type Keep, startClosable } from '@tandem/runtime/closing.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import { openSolverBase, type SolverBase } from './base.ts'
import { createChanges } from './changes.ts'
import { createKeptAnswers } from './instant-refund/kept-answers.ts'
import { createInventory } from './inventory.ts'
import { createSolverMetrics } from './metrics.ts'
import { createOwnTermsCheck } from './own-terms.ts'
import { createSolverParty } from './party.ts'
import { coded, inSequence, type PayCheck } from './pay-checks.ts'
import { createPayouts } from './payouts.ts'
import { createLegCosts } from './pricing/leg-costs.ts'
import { createPriceCheck } from './pricing/price-check.ts'
import { readPricing } from './pricing/pricing.ts'
import { createStockReader } from './pricing/skew.ts'
import { createWorthCheck } from './pricing/worth-check.ts'
import { createAdmissions } from './risk/admissions.ts'
import { createFeeWatch, negligibleCost } from './risk/breakers.ts'
import { createPairCap, isCapped } from './risk/caps.ts'
import { startCustomers } from './risk/customers.ts'
import { startExposureWatch } from './risk/exposure-watch.ts'
import { createFeeFunds } from './risk/fee-funds.ts'
import { startFeeFundsWatch } from './risk/fee-funds-watch.ts'
import { startHalts } from './risk/halts.ts'
import { createRisk } from './risk/risk.ts'
import { createSolverServer } from './server.ts'
import { createSoftReservations } from './soft-reservations.ts'
import { createWithdrawalRules } from './withdrawals/rules.ts'
import { type WithdrawalSettings, whyNotAllowed, withdrawalSettings } from './withdrawals/settings.ts'

export interface RunningSolver {
  readonly url: string
  readonly engine: Engine
  stop(): Promise<void>
}

/** A redeem waits this long for others to batch with, and for the service to cosign. Both make it cheaper. */
const DEFAULT_REDEEM_WAIT_SECONDS = 3600

/** The inventory of a chain's own coin keeps the network fees of this many swaps. */
const FEE_RESERVE_SWAPS = 20n

export function startSolver(loaded: LoadedConfig<SolverConfig>, parentLog: Logger): Promise<RunningSolver> {
  return startClosable(
    async (keep) => start(await openSolverBase(loaded, parentLog, keep), keep),
    (failure) => parentLog.warn({ err: failure }, 'not everything could be closed'),
  )
}

async function start(base: SolverBase, keep: Keep): Promise<Omit<RunningSolver, 'stop'>> {
  const { config, log, registry } = base
  const fees = startFees(base, keep)
  const risk = startRisk(base, fees, keep)
  const withdrawals = withdrawalSettings(base)
  const funds = createFunds(base, fees, risk, withdrawals)
  const changes = createChanges()
  const metrics = createSolverMetrics({
    ...base,
    ...fees,
    ...risk,
    ...funds,
    chains: registry.chains,
    chainStatus: (chain) => engine.chainStatus(chain),
  })
  const onDifferences = createDifferenceLog(log, { onDifference: metrics.onDifference })
  const engine: Engine = startEngine({
    ...base,
    onAction: metrics.onAction,
    onDifferences,
    onActivity: changes.note,
    onReorg: (chain, reorg) =>
      void risk.halts
        .noteReorg(chain, reorg)
        .catch((error) => log.error({ chain, err: error }, 'a chain could not be halted after a reorg')),
    party: createParty(base, funds),
    withdrawals: createWithdrawalRules({ ...base, settings: withdrawals, inventory: funds.inventory }),
  })
  keep(() => engine.stop())
  // The network closes before the engine stops, so that open requests to nodes do not delay the stop.
  keep(base.closeNetwork)
  const server = createServer(base, { fees, risk, funds, changes, onDifferences, engine })
  keep(() => closeServer(server))
  await engine.ready()
  if (config.metrics !== undefined) {
    const metricsServer = await startMetricsServer(config.metrics, metrics.render)
    keep(metricsServer.close)
    log.info({ url: metricsServer.url }, 'metrics are served')
  }
  void fees.legCosts.warm(registry.assets.filter(({ deployment }) => deployment !== null).map(({ id }) => id))
  // Leases are handed over first, so that another process does not wait for our requests.
  keep(engine.handOver)
  return { url: await server.listen(config.listen), engine }
}

type Fees = ReturnType<typeof startFees>

function startFees({ registry, clients, keys, prices, db, log, limits }: SolverBase, keep: Keep) {
  const feeWatch = createFeeWatch(limits.feeSpikeFactor)
  const activeAssetsOf = (chain: ChainId) => registry.assetsOf(chain).flatMap(({ id, deployment }) => (deployment === null ? [] : [id]))
  const legCosts = createLegCosts({
    registry,
    clients,
    prices,
    onError: (asset, error) =>
      log.warn(
        { asset, err: error },
        'the network fees of this asset cannot be read: the last known fees are used for ten minutes, then the asset is not quoted',
      ),
    // Locks of different assets cost different amounts, so one asset stands for its chain.
    onRead(asset, { initiate, decimals }) {
      const { id, nativeAsset } = registry.chain(registry.asset(asset).chain)
      if (activeAssetsOf(id)[0] === asset) feeWatch.note(id, initiate, negligibleCost(prices.find(nativeAsset), decimals))
    },
  })
  const feeFunds = startFeeFundsWatch({
    readInFlight: () => readInFlight(db),
    reader: createFeeFunds({ registry, clients, keys, legCosts, peakFactor: limits.feePeakFactor }),
    log,
  })
  keep(() => feeFunds.stop())
  return { feeWatch, legCosts, feeFunds, readFees: (chain: ChainId) => void legCosts.warm(activeAssetsOf(chain).slice(0, 1)) }
}

type Risk = ReturnType<typeof startRisk>

function startRisk({ db, registry, prices, log, limits, now }: SolverBase, { feeWatch, feeFunds, readFees }: Fees, keep: Keep) {
  const exposure = startExposureWatch({ db, chains: registry.chains, capOf: limits.unfinalCap, unrevealedCap: limits.unrevealedCap, log })
  keep(() => exposure.stop())
  const halts = startHalts({ db, registry, log, now, priceHalt: prices.haltOf, fees: feeWatch, readFees, funds: feeFunds })
  keep(() => halts.stop())
  const customers = startCustomers({ db, log, now, ...limits })
  keep(() => customers.stop())
  return { exposure, halts, customers, risk: createRisk({ halts, customers, exposure, ...limits, now }) }
}

type Funds = ReturnType<typeof createFunds>

function createFunds(base: SolverBase, { legCosts, feeFunds }: Fees, { customers, risk }: Risk, withdrawals: WithdrawalSettings) {
  const { db, registry, clients, keys, config, prices, log, limits, now } = base
  const pricing = readPricing(config, prices)
  const soft = createSoftReservations(now)
  const inventory = createInventory({
    db,
    registry,
    clients,
    keys,
    now,
    ...(isCapped(limits.caps.pair) && { whyOverCap: createPairCap({ db, now, ...limits }) }),
    onError: (error) => log.warn({ err: error }, 'inventory could not be reserved yet; it is tried again'),
    onReserved: soft.release,
    ...(withdrawals.addresses.size > 0 && { maySend: (withdrawal) => whyNotAllowed(withdrawals, withdrawal) === null }),
    keptForFees: (asset) => pricing.feeReserves[asset] ?? legCosts.coinsFor(asset, FEE_RESERVE_SWAPS),
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
    onError: (error) => log.warn({ err: error }, 'an order could not be admitted yet; it is tried again'),
  })
  const payouts = createPayouts({ db, clients, keys })
  const payChecks: readonly PayCheck[] = [
    createOwnTermsCheck({ registry, clients, keys }),
    coded('price', createWorthCheck({ registry, pricing })),
    coded('price', createPriceCheck({ db, registry, pricing, now, noteGain: customers.noteGain })),
    coded('halt', risk.payCheck),
    coded('recipient', payouts.payCheck),
    coded('inventory', inSequence(inventory.payCheck, admissions.payCheck)),
  ]
  return { pricing, soft, inventory, admissions, payouts, payChecks }
}

function createParty({ db, keys, config, guard, now }: SolverBase, { inventory, admissions, payChecks }: Funds) {
  return createSolverParty({
    db,
    keys,
    redeemWaitSeconds: BigInt(config.redeem_wait_seconds ?? DEFAULT_REDEEM_WAIT_SECONDS),
    payChecks,
    guard,
    onStates: (states) => void inventory.reserveSeen(states).then(() => admissions.admitSeen(states)),
    now,
  })
}

type Served = {
  readonly fees: Fees
  readonly risk: Risk
  readonly funds: Funds
  readonly changes: ReturnType<typeof createChanges>
  readonly onDifferences: ReturnType<typeof createDifferenceLog>
  readonly engine: Engine
}

function createServer(base: SolverBase, { fees, risk, funds, changes, onDifferences, engine }: Served) {
  const { config, db, registry, clients, keys, guard, signingKey, log, now } = base
  const context = {
    db,
    registry,
    clients,
    keys,
    guard,
    now,
    ...funds,
    solverId: config.solver_id,
    risk: risk.risk,
    stockOf: createStockReader(funds.inventory, funds.pricing.inventoryTargets),
    legCosts: fees.legCosts,
    quoteWriter: createQuoteWriter(db),
    orderWriter: createOrderWriter(db),
    signingLimit: createSigningLimit(db),
    keptAnswers: createKeptAnswers(),
    onDifferences,
    polls: engine.polls,
    expectOrders: engine.expectOrders,
    wake: engine.wake,
  }
  return createSolverServer({
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
}
