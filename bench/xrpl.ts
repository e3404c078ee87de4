// What the transactions of a swap cost on the XRP Ledger.
import type { Bench } from './bench.ts'

export const xrplBench: Bench = {
  name: 'xrpl',
  about: 'bytes and fees of escrows on the XRP Ledger',
  conditions:
    'Signed transactions of a network whose transactions do not name it, with ed25519 keys. Fees at the base fee of 10 drops (0.00001 XRP); we offer a fifth more. A reserve (0.2 XRP in 2025) is not paid: the account of the initiator must hold it until the escrow is finished or cancelled. bench/xrpl.test.ts has the ceilings.',
  async run() {
    // Not imported by the list of benchmarks: it brings the family's client.
    const { measureXrpl } = await import('./xrpl-costs.ts')
    return {
      ok: true,
      table: {
        columns: ['operation', 'bytes', 'base fees', 'drops', 'reserves'],
        rows: measureXrpl().map(({ operation, bytes, feeUnits, feeDrops, reserves }) => [operation, bytes, feeUnits, feeDrops, reserves]),
      },
    }
  },
}
