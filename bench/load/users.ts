/** The users of a bench: they quote, order, fund, and notice when they are paid. */

export type Route = { readonly from: string; readonly to: string; readonly amount: bigint }

/** A swap of the run: times of `performance.now()`. `lockedAt`: when the user saw the payout locked on the destination. */
export type Swap = {
  readonly begunAt: number
  readonly orderedAt: number
  readonly confirmedAt: number
  lockedAt: number | null
  paidAt: number | null
}

export type PaidSwap = Swap & { readonly paidAt: number }

export interface Users {
  /** Quotes, orders and funds one swap. Resolves when its source is confirmed. */
  swap(index: number): Promise<void>
  /** Throws if nothing would tell of a payout any more. */
  assertListening(): void
  close(): void
  readonly swaps: readonly Swap[]
}
