import type { SigningFacts } from '@tandem/chain-kit/port/signing-facts.ts'
import { readTransaction } from './read-transaction.ts'

export const signingFacts: SigningFacts = {
  feeDecimals: 9,
  worstFee: (name, [bytes]) => (name === 'transaction' ? (readTransaction(bytes as Uint8Array)?.frame.budget ?? null) : null),
  // The chain takes each version of an object once.
  marks: (name, [bytes]) =>
    name === 'transaction'
      ? (readTransaction(bytes as Uint8Array)?.frame.payment ?? []).map(({ id, version }) => `coin ${id} ${version}`)
      : [],
}
