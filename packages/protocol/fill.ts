/** Which deposits the solver pays for, and how much: agreed before it pays, where users may send any amount any number of times. */
import type { HtlcTerms } from './htlc.ts'

export type Fill = {
  /** Ids of the deposits that count, in the chain's sequence. */
  readonly deposits: readonly string[]
  /** The block of the newest of them. */
  readonly blockHash: string
  /** The amount of the destination initiation. */
  readonly destinationAmount: bigint
}

/** `signature`: the solver's; null while it is only proposed. */
export type RecordedFill = Fill & { readonly signature: string | null }

/** Rounded down in favour of the solver, which cannot choose the deposited amount. */
export function scaledAmount(agreedDestination: bigint, source: HtlcTerms, deposited: bigint): bigint {
  return (agreedDestination * deposited) / source.amount
}

export function isWithinTolerance(amount: bigint, agreed: bigint, toleranceBips: number): boolean {
  const difference = amount > agreed ? amount - agreed : agreed - amount
  return difference * 10_000n <= agreed * BigInt(toleranceBips)
}
