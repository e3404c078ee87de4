/** How often one address may fail to authenticate. A token cannot be guessed; this bounds what guessing costs us. */
import { TandemError } from '@tandem/protocol/error.ts'
import { customerOf } from '../caller-network.ts'

export interface LoginLimit {
  /** Null unless this address has failed too often. */
  refusalOf(address: string): TandemError | null
  noteFailure(address: string): void
}

const WINDOW_MS = 60_000
const MOST_FAILURES = 20
/** The oldest are forgotten: strangers must not fill our memory. */
const MOST_ADDRESSES = 10_000

export function createLoginLimit(nowMs: () => number = () => performance.now()): LoginLimit {
  const windows = new Map<string, { readonly endsAt: number; failures: number }>()

  return {
    refusalOf(address) {
      const window = windows.get(customerOf(address))
      if (window === undefined || nowMs() >= window.endsAt || window.failures < MOST_FAILURES) return null
      const seconds = Math.ceil((window.endsAt - nowMs()) / 1000)
      return new TandemError('rate_limited', `too many wrong tokens from your address: try again in ${seconds} seconds`, {
        retryAfterSeconds: seconds,
      })
    },
    noteFailure(address) {
      const network = customerOf(address)
      const known = windows.get(network)
      if (known !== undefined && nowMs() < known.endsAt) {
        known.failures += 1
        return
      }
      windows.delete(network)
      windows.set(network, { endsAt: nowMs() + WINDOW_MS, failures: 1 })
      const oldest = windows.keys().next().value
      if (windows.size > MOST_ADDRESSES && oldest !== undefined) windows.delete(oldest)
    },
  }
}
