/** What a signer in a process of its own adds to a swap: the same load with the keys in the solver, and in a signer. */
import type { Bench, Size } from './bench.ts'
import { type LoadFigures, type LoadPlan, measureLoad, ROUTE } from './load/measure-load.ts'

const MAX_ADDED_MS = 30
const MIN_SWAPS_PER_SECOND = 20

/** The first two are compared. */
const plans: Readonly<Record<Size, readonly LoadPlan[]>> = {
  full: [
    { routes: 'one', perSecond: 5, seconds: 20, engines: 1 },
    { routes: 'one', perSecond: 5, seconds: 20, engines: 1, hasSigner: true },
    { routes: 'one', perSecond: MIN_SWAPS_PER_SECOND, seconds: 30, engines: 1, hasSigner: true },
  ],
  smallest: [{ routes: 'one', perSecond: 1, seconds: 1, engines: 1, hasSigner: true }],
}

export const signerBench: Bench = {
  name: 'signer',
  about: `a signer as a process of its own, limits ${MAX_ADDED_MS} ms more at p50 and ${MIN_SWAPS_PER_SECOND} swaps/s`,
  conditions: `As the bench of the load: ${ROUTE.from} → ${ROUTE.to}, with the keys in the solver and in a signer with connections of its own to the nodes, which mine at once. More: than with the keys in the solver, at the same rate. Requests: HTTP requests to nodes.`,
  async run({ size, onProgress }) {
    const rows: LoadFigures[] = []
    for (const plan of plans[size]) {
      const keys = plan.hasSigner === true ? 'a signer' : 'the solver'
      rows.push(await measureLoad(plan, size, (what) => onProgress(`keys in ${keys}, ${plan.perSecond} orders a second: ${what}`)))
    }
    const addedTo = (row: LoadFigures) => {
      const without = rows.find(({ hasSigner, perSecond }) => hasSigner !== true && perSecond === row.perSecond)
      return row.hasSigner === true && without !== undefined ? row.p50Ms - without.p50Ms : null
    }
    return {
      ok: rows.every((row) => row.refused + row.unpaid === 0 && row.paidPerSecond >= row.perSecond && (addedTo(row) ?? 0) <= MAX_ADDED_MS),
      table: {
        columns: [
          'keys in',
          'orders/s',
          'paid/s in time',
          'not paid',
          'p50 ms',
          'more',
          'limit',
          'p99 ms',
          'requests/swap, of the signer',
          'CPU ms/swap solver, signer',
        ],
        rows: rows.map((row) => {
          const added = addedTo(row)
          return [
            row.hasSigner === true ? 'a signer' : 'the solver',
            row.perSecond,
            row.paidPerSecond.toFixed(1),
            row.refused + row.unpaid,
            Math.round(row.p50Ms),
            added === null ? '–' : Math.round(added),
            added === null ? '–' : MAX_ADDED_MS,
            Math.round(row.p99Ms),
            `${row.requestsPerSwap.toFixed(1)}, ${row.signerRequestsPerSwap.toFixed(1)}`,
            `${row.cpu.solver.toFixed(0)}, ${row.cpu.signer.toFixed(0)}`,
          ]
        }),
      },
    }
  },
}
