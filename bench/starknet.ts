// How large the operations of the Starknet contract are.
import type { Bench } from './bench.ts'

export const starknetBench: Bench = {
  name: 'starknet',
  about: 'calldata and typed data of the Starknet contract',
  conditions:
    "Counted as our client writes them, with a signature of two felts: the calldata of the HTLC's own call, and that of the whole transaction as an account takes it, approval included. Typed data: JSON without spaces. Gas is not shown: the local chain is a simulator whose gas is an estimate, and the Cairo VM of our tests reports whole tests, with their deployments. bench/starknet.test.ts has the ceilings.",
  async run() {
    // Not imported by the list of benchmarks: it brings the family's client.
    const { measureStarknet } = await import('./starknet-costs.ts')
    return {
      ok: true,
      table: {
        columns: ['operation', 'calldata felts', 'of the transaction', 'typed data bytes'],
        rows: measureStarknet().map(({ operation, callFelts, transactionFelts, typedDataBytes }) => [
          operation,
          callFelts,
          transactionFelts,
          typedDataBytes ?? '–',
        ]),
      },
    }
  },
}
