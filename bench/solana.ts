// What the operations of the Solana program cost, against limits.
import type { Bench } from './bench.ts'

export const solanaBench: Bench = {
  name: 'solana',
  about: 'compute units, rent and transaction sizes of the Solana program',
  conditions:
    'One run each on LiteSVM 1.4.1, the real SVM, with the Token program that it brings (p-token; the older one takes some 4,500 compute units more for each transfer): figures do not vary. Orders whose address has the highest bump, as half of them have: each bump below takes an initiation 1,500 units more. 5,000 lamports a signature. Rent at 6,960 lamports a byte; what an initiation takes, `close` returns in full, and donations on top. In "close, together" size and signatures are of the whole transaction.',
  async run() {
    // Not imported by the list of benchmarks: it brings a whole SVM.
    const { isWithinLimits, measureSolana } = await import('./solana-costs.ts')
    const rows = await measureSolana()
    return {
      ok: rows.every(isWithinLimits),
      table: {
        columns: ['operation', 'compute units', 'limit', 'bytes', 'signatures', 'rent paid, lamports'],
        rows: rows.map(({ operation, computeUnits, limit, size, signatures, rent }) => [
          operation,
          computeUnits,
          limit ?? '–',
          size,
          signatures,
          Number(rent),
        ]),
      },
    }
  },
}
