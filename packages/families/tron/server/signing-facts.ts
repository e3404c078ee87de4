import type { SigningFacts } from '@tandem/chain-kit/port/signing-facts.ts'
import type { TronOperations } from './signing.ts'

type Call = Parameters<TronOperations['call']>[1]
type Frame = Parameters<TronOperations['call']>[2]

/** Bandwidth is beside the fee limit. All of a transaction but its calldata has fewer bytes. */
const SUN_PER_BYTE = 1_000n
const FRAME_BYTES = 500n

export const signingFacts: SigningFacts = {
  feeDecimals: 6,
  worstFee(name, [call, frame]) {
    if (name !== 'call') return null
    const bytes = BigInt((call as Call).data.length) / 2n + FRAME_BYTES
    return (frame as Frame).feeLimitSun + bytes * SUN_PER_BYTE
  },
  marks: () => [],
}
