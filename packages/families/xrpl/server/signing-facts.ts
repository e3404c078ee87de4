import type { SigningFacts } from '@tandem/chain-kit/port/signing-facts.ts'
import type { UnsignedTransaction } from './signing.ts'

export const signingFacts: SigningFacts = {
  feeDecimals: 6,
  worstFee: (name, [unsigned]) => (name === 'transaction' ? BigInt((unsigned as UnsignedTransaction).Fee ?? '0') : null),
  marks: (name, [unsigned]) => (name === 'transaction' ? [`sequence ${(unsigned as UnsignedTransaction).Sequence}`] : []),
}
