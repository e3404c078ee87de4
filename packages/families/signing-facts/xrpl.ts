import type { UnsignedTransaction } from '@tandem/xrpl/server/signing.ts'
import type { SigningFacts } from './facts.ts'

export const facts: SigningFacts = {
  feeDecimals: 6,
  worstFee: (name, [unsigned]) => (name === 'transaction' ? BigInt((unsigned as UnsignedTransaction).Fee ?? '0') : null),
  marks: (name, [unsigned]) => (name === 'transaction' ? [`sequence ${(unsigned as UnsignedTransaction).Sequence}`] : []),
}
