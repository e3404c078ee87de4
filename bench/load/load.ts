/** Swaps run at a fixed rate through the real HTTP interface: chains with database, service and solver are processes of their own. */
import type { Bench, Size } from '../bench.ts'
import { ACCOUNTS, type LoadFigures, type LoadPlan, MIXED_OF, measureLoad, ROUTE, WARM_UP } from './measure-load.ts'
import { GRACE_MS, type Slowest, stages } from './swap-figures.ts'

const P50_LIMIT_MS = 500
const P99_LIMIT_MS = 2_000

const plans: Readonly<Record<Size, readonly LoadPlan[]>> = {
  full: [
    { routes: 'one', perSecond: 1, seconds: 15, engines: 1 },
    { routes: 'one', perSecond: 5, seconds: 20, engines: 1 },
    { routes: 'one', perSecond: 10, seconds: 20, engines: 1 },
    { routes: 'one', perSecond: 20, seconds: 60, engines: 1 },
    { routes: 'one', perSecond: 20, seconds: 30, engines: 2 },
    { routes: 'mixed', perSecond: 8, seconds: 60, engines: 1 },
  ],
  // The bench of the attack also has the users of the one route.
  smallest: [{ routes: 'mixed', perSecond: MIXED_OF.smallest.length, seconds: 1, engines: 1 }],
}

export const loadBench: Bench = {
  name: 'load',
  about: `swaps per second, limits p50 ${P50_LIMIT_MS} ms and p99 ${P99_LIMIT_MS} ms from source confirmed to destination redeemed`,
  conditions: `Instantly mined local chains, all on one machine. One route: ${ROUTE.from} → ${ROUTE.to}, ${ACCOUNTS} users. Mixed: ${MIXED_OF.full.length} routes round robin, every family as source and as destination, three wallets on each chain round robin; one stream of events reports all payouts. Chains (in one process with the embedded database server), service and solver are processes of their own, with 1 or 2 processes of each party on one database. Orders arrive at a fixed rate, whatever the earlier ones do, after ${WARM_UP.full.swaps} swaps that warm up. Source confirmed: the node has taken the transaction, and mines it at once. Paid in time: until ${GRACE_MS} ms after the last order. Requests: HTTP requests of both parties to nodes; those over websockets are not counted. Statements: messages of each party to its database. CPU: processor time of each process, per swap. Slowest 1 %: when those swaps began, and the medians of what they waited for: quote and order, funding, the payout locked, the payout redeemed.`,
  async run({ size, onProgress }) {
    const rows: LoadFigures[] = []
    for (const plan of plans[size]) rows.push(await measureLoad(plan, size, onProgress))
    return {
      ok: rows.every(isWithinLimits),
      table: {
        columns: [
          'routes',
          'orders/s',
          'seconds',
          'engines',
          'paid/s in time',
          'refused',
          'unpaid',
          'p50 ms',
          'p99 ms',
          `slowest 1 %: begun at s, ms for ${stages.join(', ')}`,
          'requests/swap',
          'statements/swap service, solver',
          'loop delay p99 ms service, solver',
          'CPU ms/swap service, solver, chains, database, users',
        ],
        rows: rows.map((row) => [
          row.routes,
          row.perSecond,
          row.seconds,
          row.engines,
          row.paidPerSecond.toFixed(1),
          row.refused,
          row.unpaid,
          Math.round(row.p50Ms),
          Math.round(row.p99Ms),
          textOf(row.slowest),
          Math.round(row.requestsPerSwap),
          `${row.statementsPerSwap.service.toFixed(1)}, ${row.statementsPerSwap.solver.toFixed(1)}`,
          `${row.loopDelayMs.service.toFixed(0)}, ${row.loopDelayMs.solver.toFixed(0)}`,
          [row.cpu.service, row.cpu.solver, row.cpu.chains, row.cpu.postgres, row.cpu.users]
            .map((part) => part?.toFixed(0) ?? '–')
            .join(', '),
        ]),
      },
    }
  },
}

/** The limits of time are those of one route. Mixed routes must be paid at their rate. */
function isWithinLimits(row: LoadFigures): boolean {
  if (row.refused > 0 || row.unpaid > 0) return false
  return row.routes === 'mixed' ? row.paidPerSecond >= row.perSecond : row.p50Ms <= P50_LIMIT_MS && row.p99Ms <= P99_LIMIT_MS
}

/** The text is like "0.2–3.1: 12, 4, 610, 390". */
function textOf({ begunAtSeconds, stagesMs }: Slowest): string {
  const ends = [...new Set([begunAtSeconds.at(0), begunAtSeconds.at(-1)].map((seconds) => seconds?.toFixed(1) ?? '–'))]
  return `${ends.join('–')}: ${stages.map((stage) => Math.round(stagesMs[stage])).join(', ')}`
}
