/** Slippage: how much less than quoted the user accepts. */
import { divideRoundingUp } from './amount.ts'

const BIPS = 10_000n

/** The least amount that the user accepts after slippage. Rounded up, in the user's favour. */
export function leastAfterSlippage(amount: bigint, slippageBips: number): bigint {
  return divideRoundingUp(amount * (BIPS - BigInt(slippageBips)), BIPS)
}
