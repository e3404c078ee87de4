// What the operations of the Move module store, and how large their transactions are.
import type { Bench } from './bench.ts'

export const suiBench: Bench = {
  name: 'sui',
  about: 'storage and transaction sizes of the Move module',
  conditions:
    'On the simulator, which follows the rule of the protocol for storage: 76 MIST for each of 100 units a byte, of all objects that a transaction writes; 99 % of that for the objects that it replaces or deletes. The deposit of a settled order goes to whoever sends the settlement; the mark of the order and the coin of the payee stay. One gas coin, no signatures counted; an initiation has its deadline as a call. Computation is not shown: the simulator does not count instructions, and the Move VM of our tests does not report them. On the network it is at least 1,000 units, 0.001 SUI at a price of 1,000 MIST. bench/sui.test.ts has the ceilings.',
  async run() {
    // Not imported by the list of benchmarks: it brings a whole chain.
    const { measureSui } = await import('./sui-costs.ts')
    return {
      ok: true,
      table: {
        columns: ['operation', 'bytes', 'storage paid, MIST', 'returned, MIST', 'balance, MIST'],
        rows: (await measureSui()).map(({ operation, bytes, paid, returned }) => [
          operation,
          bytes,
          Number(paid),
          Number(returned),
          Number(paid - returned),
        ]),
      },
    }
  },
}
