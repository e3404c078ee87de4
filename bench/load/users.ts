/** The users of a bench quote, order, fund, and notice when they are paid. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../demo/client/api-client.ts'

export type Route = { readonly from: string; readonly to: string; readonly amount: bigint }

/** Times are of `performance.now()`. At `lockedAt` the user saw the payout locked on the destination. */
export type Swap = {
  readonly begunAt: number
  readonly orderedAt: number
  readonly confirmedAt: number
  lockedAt: number | null
  paidAt: number | null
}

export type PaidSwap = Swap & { readonly paidAt: number }

export interface Users {
  /** Resolves when the source of the swap is confirmed. */
  swap(index: number): Promise<void>
  /** Throws if no payout would be noticed, because a stream has ended. */
  assertListening(): void
  close(): void
  readonly swaps: readonly Swap[]
}

const RETRY_MS = 500

/** An overloaded service refuses calls. A bench repeats those that it does not measure. */
export async function untilAccepted<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ApiError) || error.httpStatus !== 503) throw error
    }
    await sleep(RETRY_MS)
  }
}
