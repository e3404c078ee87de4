/** Metrics of orders, solvers and money. They share the cached readings of the operator page. */
import type { ServiceMetrics } from '@tandem/party/metrics/service-metrics.ts'
import { readTotals } from '@tandem/party/store/operator-view/activity.ts'
import type { ServiceContext } from '../context.ts'
import type { MoneyReader } from './money.ts'
import type { OrderFigures } from './overview.ts'

const MICROS = 1e6

const dollars = (micros: bigint) => Number(micros) / MICROS

export function describeFigures(
  context: ServiceContext,
  { collectors }: Pick<ServiceMetrics, 'collectors'>,
  readFigures: () => Promise<OrderFigures>,
  money: MoneyReader,
): void {
  const { gauge, counter } = collectors
  gauge({
    name: 'tandem_orders',
    help: 'Orders of all apps by status. Every process of a database shows the same: do not add them up',
    labels: ['status'],
    read: async () => Object.entries((await readFigures()).counts).map(([status, value]) => ({ labels: { status }, value })),
  })
  gauge({
    name: 'tandem_orders_stuck',
    help: 'Orders in progress that take longer than they should, or whose actions fail again and again, among the 300 oldest',
    read: async () => [{ value: (await readFigures()).stuck }],
  })
  gauge({
    name: 'tandem_exposure_usd',
    help: 'Dollars in orders in progress, by solver and chains',
    labels: ['solver', 'from', 'to'],
    read: async () => {
      const sums = new Map<string, { readonly labels: Readonly<Record<string, string>>; micros: bigint }>()
      for (const { solverId, fromChain, toChain, usdMicros } of (await readFigures()).sums) {
        const key = `${solverId} ${fromChain} ${toChain}`
        const known = sums.get(key) ?? { labels: { solver: solverId, from: fromChain, to: toChain }, micros: 0n }
        known.micros += usdMicros
        sums.set(key, known)
      }
      return [...sums.values()].map(({ labels, micros }) => ({ labels, value: dollars(micros) }))
    },
  })
  const total = (name: string, help: string, figureOf: (totals: Awaited<ReturnType<typeof readTotals>>) => number) =>
    counter({ name, help, read: async () => [{ value: Math.max(0, figureOf(await readTotals(context.db))) }] })
  total('tandem_swaps_completed_total', 'Completed orders', ({ swaps }) => swaps)
  total('tandem_volume_usd_total', 'Dollars of completed orders, at the prices when they were made', ({ usdMicros }) => dollars(usdMicros))
  total('tandem_fees_usd_total', 'Dollars of fees in completed orders', ({ feesUsdMicros }) => dollars(feesUsdMicros))
  gauge({
    name: 'tandem_inventory_available',
    help: 'What solvers hold and have not promised, in whole coins',
    labels: ['solver', 'asset'],
    read: async () =>
      (await money.inventory()).holdings.map(({ solver_id, asset, available }) => ({
        labels: { solver: solver_id, asset },
        value: Number(available),
      })),
  })
  gauge({
    name: 'tandem_solver_up',
    help: '1 if the solver answered when it was last asked for its inventory',
    labels: ['solver'],
    read: async () => {
      const { silent } = await money.inventory()
      return context.solvers.map(({ id }) => ({ labels: { solver: id }, value: silent.includes(id) ? 0 : 1 }))
    },
  })
  gauge({
    name: 'tandem_solver_reliability',
    help: 'The estimated reliability of a solver, from 0 to 1',
    labels: ['solver'],
    read: () => context.solvers.map(({ id }) => ({ labels: { solver: id }, value: context.pool.reliabilityOf(id) / MICROS })),
  })
  gauge({
    name: 'tandem_gas_balance',
    help: 'What the relay key has to pay network fees with, in whole coins',
    labels: ['chain', 'asset'],
    read: async () =>
      (await money.budgets()).gas.flatMap(({ chain, asset, balance }) =>
        balance === null ? [] : [{ labels: { chain, asset }, value: Number(balance) }],
      ),
  })
  gauge({
    name: 'tandem_sponsored_initiations',
    help: 'Gasless initiations of the last 24 hours that count against the budget of an app',
    labels: ['app'],
    read: async () => (await money.budgets()).sponsorship.map(({ app, used }) => ({ labels: { app }, value: used })),
  })
  gauge({
    name: 'tandem_sponsored_initiations_limit',
    help: 'The limit of sponsored initiations of an app in 24 hours',
    labels: ['app'],
    read: async () =>
      (await money.budgets()).sponsorship.flatMap(({ app, per_day }) => (per_day === null ? [] : [{ labels: { app }, value: per_day }])),
  })
  gauge({
    name: 'tandem_refund_fees_usd',
    help: 'Network fees of instant refunds that the service paid in the last 24 hours, by app',
    labels: ['app'],
    read: async () => (await money.budgets()).refunds.map(({ app, paid_usd }) => ({ labels: { app }, value: Number(paid_usd) })),
  })
  gauge({
    name: 'tandem_halted',
    help: '1 for each chain that an operator halted; the scope * stands for all chains',
    labels: ['scope'],
    read: async () => (await context.operatorHalts.list()).map(({ scope }) => ({ labels: { scope }, value: 1 })),
  })
  gauge({ name: 'tandem_event_streams', help: 'Open event streams', read: () => [{ value: context.events.count }] })
}
