/**
 * Limits the signatures in a minute, because signing is expensive. They are counted in the database, for all processes of a party together.
 */
import { TandemError } from '@tandem/protocol/error.ts'
import type { Database } from '../store/database/database.ts'
import { countSignings } from '../store/orders/signing-counts.ts'
import { SIGNING_WINDOW_SECONDS } from './times.ts'

const MAX_REMEMBERED = 100_000

export type Limit = {
  readonly name: string
  readonly perMinute: number
  readonly what: string
}

export interface SigningLimit {
  /** Throws `rate_limited` while the limit is known to be reached. It sends no statement, so that refusing is cheap. */
  check(limit: Limit): void
  /** Throws `rate_limited` when these exceed the limit of a minute. */
  count(limit: Limit, signings?: number): Promise<void>
}

export function createSigningLimit(db: Database, nowMs: () => number = () => performance.now()): SigningLimit {
  const reachedUntil = new Map<string, number>()

  function check(limit: Limit): void {
    const leftMs = (reachedUntil.get(limit.name) ?? 0) - nowMs()
    if (leftMs > 0) throw tooMany(limit, leftMs)
    reachedUntil.delete(limit.name)
  }

  return {
    check,
    async count(limit, signings = 1) {
      check(limit)
      const counted = await countSignings(db, limit.name, signings, SIGNING_WINDOW_SECONDS)
      if (counted.signings <= limit.perMinute) return
      if (reachedUntil.size >= MAX_REMEMBERED) reachedUntil.clear()
      reachedUntil.set(limit.name, nowMs() + counted.endsInMs)
      throw tooMany(limit, counted.endsInMs)
    },
  }
}

function tooMany({ what }: Limit, leftMs: number): TandemError {
  const retryAfterSeconds = Math.max(1, Math.ceil(leftMs / 1000))
  return new TandemError('rate_limited', `${what}: try again in ${retryAfterSeconds} seconds`, { retryAfterSeconds })
}
