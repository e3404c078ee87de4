import { readTransaction } from '@tandem/sui/server/read-transaction.ts'
import type { SigningFacts } from './facts.ts'

export const facts: SigningFacts = {
  feeDecimals: 9,
  worstFee: (name, [bytes]) => (name === 'transaction' ? (readTransaction(bytes as Uint8Array)?.frame.budget ?? null) : null),
  // The chain takes each version of an object once.
  marks: (name, [bytes]) =>
    name === 'transaction'
      ? (readTransaction(bytes as Uint8Array)?.frame.payment ?? []).map(({ id, version }) => `coin ${id} ${version}`)
      : [],
}
