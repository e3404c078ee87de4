/** Metrics of a solver, in addition to those of every party: holdings, risks and completed orders. */
import { createPartyMetrics, type PartyMetrics, type PartyMetricsOptions } from '@tandem/party/metrics/party-metrics.ts'
import { readHalts } from '@tandem/party/store/solver/halts.ts'
import { type PairStatus, readPairStatus } from '@tandem/party/store/solver/pair-status.ts'
import { formatUnits } from '@tandem/protocol/amount.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import { createTtlCache } from '@tandem/runtime/ttl-cache.ts'
import type { Holding, Inventory } from './inventory.ts'
import type { ExposureWatch } from './risk/exposure-watch.ts'
import type { FeeFunds } from './risk/fee-funds.ts'
import type { FeeFundsWatch } from './risk/fee-funds-watch.ts'

const DAY_SECONDS = 86_400n
/** Balances cost a request for each asset, and pairs a scan of one day's orders. */
const KEEP_MS = 20_000
const MICROS = 1e6

export function createSolverMetrics(
  options: PartyMetricsOptions & {
    readonly registry: Registry
    readonly inventory: Pick<Inventory, 'list'>
    readonly feeFunds: Pick<FeeFundsWatch, 'list'>
    readonly exposure: Pick<ExposureWatch, 'unfinal' | 'unrevealed'>
  },
): PartyMetrics {
  const { db, registry, inventory, feeFunds, exposure, now } = options
  const party = createPartyMetrics(options)
  const { gauge } = party.collectors
  const holdings = createTtlCache<readonly Holding[]>({ keepMs: KEEP_MS, maxEntries: 1 })
  const pairs = createTtlCache<readonly PairStatus[]>({ keepMs: KEEP_MS, maxEntries: 1 })
  const readPairs = () => pairs.get('', () => readPairStatus(db, now() - DAY_SECONDS))

  const ofHoldings = (name: string, help: string, amountOf: (holding: Holding) => bigint) =>
    gauge({
      name,
      help,
      labels: ['asset'],
      read: async () =>
        (await holdings.get('', () => inventory.list())).map((holding) => ({
          labels: { asset: holding.asset },
          value: Number(formatUnits(amountOf(holding), registry.asset(holding.asset).decimals)),
        })),
    })
  ofHoldings('tandem_solver_balance', 'Balance of the solver, in whole coins', ({ balance }) => balance)
  ofHoldings('tandem_solver_available', 'Balance that is not promised, in whole coins', ({ available }) => available)

  const ofFeeFunds = (name: string, help: string, amountOf: (funds: FeeFunds) => bigint) =>
    gauge({
      name,
      help,
      labels: ['asset'],
      read: async () =>
        feeFunds.list().map((funds) => ({ labels: { asset: funds.asset }, value: Number(formatUnits(amountOf(funds), funds.decimals)) })),
    })
  ofFeeFunds('tandem_solver_fee_balance', 'Balance of the account that pays network fees, in whole coins', ({ balance }) => balance)
  ofFeeFunds('tandem_solver_fee_needed', 'Network fees that the orders in flight may still need, in whole coins', ({ needed }) => needed)

  gauge({
    name: 'tandem_solver_unfinal_usd',
    help: 'Payments made or promised against deposits that are not final, in dollars, by source chain',
    labels: ['chain'],
    read: async () => exposure.unfinal().map(({ chain, usdMicros }) => ({ labels: { chain }, value: Number(usdMicros) / MICROS })),
  })
  gauge({
    name: 'tandem_solver_unrevealed_usd',
    help: 'Payments that wait for client-held secrets, in dollars',
    read: async () => [{ value: Number(exposure.unrevealed()) / MICROS }],
  })

  const ofPairs = (name: string, help: string, figureOf: (pair: PairStatus) => number) =>
    gauge({
      name,
      help,
      labels: ['pair'],
      read: async () => (await readPairs()).map((status) => ({ labels: { pair: status.pair }, value: figureOf(status) })),
    })
  ofPairs('tandem_solver_open_orders', 'Funded orders of the last day that are open, by pair', ({ openOrders }) => openOrders)
  ofPairs(
    'tandem_solver_exposure_usd',
    'Worth of the open orders, in dollars, by pair',
    ({ openUsdMicros }) => Number(openUsdMicros) / MICROS,
  )
  ofPairs('tandem_solver_completed_orders', 'Completed orders of the last day, by pair', ({ completed }) => completed)
  ofPairs('tandem_solver_failed_orders', 'Orders of the last day that were refunded, by pair', ({ failed }) => failed)
  gauge({
    name: 'tandem_solver_halted',
    help: '1 for each halted scope (a chain, a pair, or * for everything), by cause',
    labels: ['scope', 'cause'],
    read: async () => (await readHalts(db)).map(({ scope, cause }) => ({ labels: { scope, cause }, value: 1 })),
  })
  return party
}
