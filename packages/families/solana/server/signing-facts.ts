import type { SigningFacts } from '@tandem/chain-kit/port/signing-facts.ts'
import { parseMessage, priorityFeeOf } from '../terms/send/transaction.ts'

/** A transaction of ours has at most two signatures, that of a consent among them. Rent comes back. */
const SIGNATURES_LAMPORTS = 10_000n

export const signingFacts: SigningFacts = {
  feeDecimals: 9,
  worstFee: (name, [message]) =>
    name === 'transaction' ? SIGNATURES_LAMPORTS + priorityFeeOf(parseMessage(message as Uint8Array).budget) : null,
  marks: () => [],
}
