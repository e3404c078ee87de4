/** How often instant refunds of one order may be signed. Signing is dear; repeats that need no new signature are free. */
import { TandemError } from '../../protocol/error.ts'

const WINDOW_MS = 60_000
/** The description of PATCH /orders/{id} names it. */
const SIGNINGS_PER_MINUTE = 10
const MAX_REMEMBERED = 100_000

/** The holder of the order token has a limit of its own: strangers cannot use it up. */
export type Asker = 'token holder' | 'anyone'

export interface SigningLimit {
  /** Counts one signing. Throws `rate_limited` when there were too many in a minute. */
  count(orderId: string, asker: Asker): void
}

type Window = { readonly endsAt: number; signings: number }

/** In this process: n processes on one database allow n times the limit. */
export function createSigningLimit(nowMs: () => number = () => performance.now()): SigningLimit {
  const windows = new Map<string, Window>()
  return {
    count(orderId, asker) {
      const [key, now] = [`${orderId} ${asker}`, nowMs()]
      const known = windows.get(key)
      const window = known !== undefined && now < known.endsAt ? known : { endsAt: now + WINDOW_MS, signings: 0 }
      if (windows.size >= MAX_REMEMBERED) windows.clear()
      windows.set(key, window)
      window.signings += 1
      if (window.signings <= SIGNINGS_PER_MINUTE) return
      const retryAfterSeconds = Math.ceil((window.endsAt - now) / 1000)
      throw new TandemError(
        'rate_limited',
        `instant refunds of this order were signed ${SIGNINGS_PER_MINUTE} times in a minute: try again in ${retryAfterSeconds} seconds`,
        { retryAfterSeconds },
      )
    },
  }
}
