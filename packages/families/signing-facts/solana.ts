import { parseMessage, priorityFeeOf } from '@tandem/solana/terms/send/transaction.ts'
import type { SigningFacts } from './facts.ts'

/** A transaction of ours has at most two signatures, that of a consent among them. Rent comes back. */
const SIGNATURES_LAMPORTS = 10_000n

export const facts: SigningFacts = {
  feeDecimals: 9,
  worstFee: (name, [message]) =>
    name === 'transaction' ? SIGNATURES_LAMPORTS + priorityFeeOf(parseMessage(message as Uint8Array).budget) : null,
  marks: () => [],
}
