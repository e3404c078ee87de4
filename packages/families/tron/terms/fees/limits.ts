/** Limits energy and fees for each call. */
import type { HtlcVerb } from '@tandem/protocol/htlc.ts'

export type FeeVerb = HtlcVerb | 'approve' | 'reclaim' | 'transfer'

export const SUN = 1_000_000n

/** These are several times what the contract uses with a plain token: busy contracts are charged up to 3.4 times their energy. */
export const fallbackEnergy = {
  approve: 150_000n,
  initiate: 600_000n,
  redeem: 500_000n,
  refund: 500_000n,
  reclaim: 600_000n,
  transfer: 300_000n,
} as const satisfies Record<FeeVerb, bigint>

/** The contract uses this energy with a plain token, and no token uses less. */
export const minEnergy = {
  approve: 20_000n,
  initiate: 60_000n,
  redeem: 40_000n,
  refund: 40_000n,
  reclaim: 60_000n,
  transfer: 14_000n,
} as const satisfies Record<FeeVerb, bigint>

/** Above the cap an operator must decide. A redeem or refund is worth more than a new swap. */
export const feeCapSun = {
  approve: 100n * SUN,
  initiate: 300n * SUN,
  redeem: 1500n * SUN,
  refund: 1500n * SUN,
  reclaim: 300n * SUN,
  transfer: 300n * SUN,
} as const satisfies Record<FeeVerb, bigint>

/**
 * Bandwidth is beside the fee limit, at 1,000 sun for each byte when no free one is left. The longest calldata has the signature of a contract account,
 * which has up to 4,096 bytes.
 */
export const MAX_CALL_BYTES = 5_000
