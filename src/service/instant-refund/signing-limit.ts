/** How often instant refunds of one order may be signed. Signing is expensive; repeats that need no new signature are not counted. */
import { TandemError } from '../../protocol/error.ts'
import type { Database } from '../../store/database/database.ts'
import { countSignings } from '../../store/orders/signing-counts.ts'

const WINDOW_SECONDS = 60
/** The description of PATCH /orders/{id} names it. */
const SIGNINGS_PER_MINUTE = 10
const MAX_REMEMBERED = 100_000

/** The holder of the order token has a limit of its own: strangers cannot use it up. */
export type Asker = 'token holder' | 'anyone'

export interface SigningLimit {
  /** Throws `rate_limited` while the limit is known to be reached. Sends no statement, so that refusing is cheap. */
  check(orderId: string, asker: Asker): void
  /** Counts one signing, over all processes. Throws `rate_limited` when there were too many in a minute. */
  count(orderId: string, asker: Asker): Promise<void>
}

export function createSigningLimit(db: Database, nowMs: () => number = () => performance.now()): SigningLimit {
  const reachedUntil = new Map<string, number>()
  const nameOf = (orderId: string, asker: Asker) => `${orderId} ${asker}`

  function check(orderId: string, asker: Asker): void {
    const name = nameOf(orderId, asker)
    const leftMs = (reachedUntil.get(name) ?? 0) - nowMs()
    if (leftMs > 0) throw tooMany(leftMs)
    reachedUntil.delete(name)
  }

  return {
    check,
    async count(orderId, asker) {
      check(orderId, asker)
      const name = nameOf(orderId, asker)
      const { signings, endsInMs } = await countSignings(db, name, 1, WINDOW_SECONDS)
      if (signings <= SIGNINGS_PER_MINUTE) return
      if (reachedUntil.size >= MAX_REMEMBERED) reachedUntil.clear()
      reachedUntil.set(name, nowMs() + endsInMs)
      throw tooMany(endsInMs)
    },
  }
}

function tooMany(leftMs: number): TandemError {
  const retryAfterSeconds = Math.max(1, Math.ceil(leftMs / 1000))
  return new TandemError(
    'rate_limited',
    `instant refunds of this order were signed ${SIGNINGS_PER_MINUTE} times in a minute: try again in ${retryAfterSeconds} seconds`,
    { retryAfterSeconds },
  )
}
