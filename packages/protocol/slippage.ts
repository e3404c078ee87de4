/** Slippage is how much less than the quote the user accepts. */
import { divideRoundingUp } from './amount.ts'

const BIPS = 10_000n

/** The minimum that the user accepts is rounded up in the user's favour. */
export function minAfterSlippage(amount: bigint, slippageBips: number): bigint {
  return divideRoundingUp(amount * (BIPS - BigInt(slippageBips)), BIPS)
}
