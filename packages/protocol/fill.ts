/** A fill says which deposits the solver pays for, and how much. It is agreed before the solver pays, where users may send any amount any number of times. */
import type { HtlcTerms } from './htlc.ts'

export type Fill = {
  /** The ids are in the chain's sequence. */
  readonly deposits: readonly string[]
  /** The hash is of the block of the newest deposit. */
  readonly blockHash: string
  readonly destinationAmount: bigint
}

/** `signature` is the solver's. It is null while the fill is only proposed. */
export type RecordedFill = Fill & { readonly signature: string | null }

/** The amount is rounded down in favour of the solver, which cannot choose the deposited amount. */
export function scaledAmount(agreedDestination: bigint, source: HtlcTerms, deposited: bigint): bigint {
  return (agreedDestination * deposited) / source.amount
}

export function isWithinTolerance(amount: bigint, agreed: bigint, toleranceBips: number): boolean {
  const difference = amount > agreed ? amount - agreed : agreed - amount
  return difference * 10_000n <= agreed * BigInt(toleranceBips)
}
