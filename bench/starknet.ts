// What the operations of the Starknet contract take: gas against limits, calldata, typed data.
import type { Bench } from './bench.ts'

export const starknetBench: Bench = {
  name: 'starknet',
  about: 'gas, calldata and typed data of the Starknet contract',
  conditions:
    "Gas: Sierra gas, which networks charge as L2 gas, on the Cairo VM of our tests; figures do not vary. It is the difference between two tests, one of which does not make the call. It includes a plain token and, where a signature is asked for, an account that compares one felt; it does not include the account that sends the transaction, its calldata, and L1 data gas. Calldata: counted as our client writes it, with a signature of two felts: that of the HTLC's own call, and that of the whole transaction as an account takes it. Typed data: JSON without spaces. bench/starknet.test.ts has the ceilings of calldata and typed data; packages/families/starknet/contract/cairo.test.ts checks the limit of a redeem.",
  async run({ size, onProgress }) {
    // Not imported by the list of benchmarks: it brings the family's client.
    const { measureGas, measureStarknet } = await import('./starknet-costs.ts')
    if (size === 'full') onProgress('compiling the contract and its tests')
    // The Cairo VM takes most of a minute; the tests of the contract measure the same.
    const gas = new Map((size === 'full' ? await measureGas() : []).map((row) => [row.operation, row]))
    return {
      ok: [...gas.values()].every((row) => row.gas <= row.limit),
      table: {
        columns: ['operation', 'gas', 'limit', 'calldata felts', 'of the transaction', 'typed data bytes'],
        rows: measureStarknet().map(({ operation, gasName, callFelts, transactionFelts, typedDataBytes }) => {
          const row = gasName === null ? undefined : gas.get(gasName)
          return [operation, row?.gas ?? '–', row?.limit ?? '–', callFelts, transactionFelts, typedDataBytes ?? '–']
        }),
      },
    }
  },
}
