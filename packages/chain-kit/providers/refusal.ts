/** Defines the two ways in which a provider fails: it answers with an error (`Refusal`), or it does not answer (`unreachable`). */
import { ChainFailure } from '../port/failure.ts'

/** A provider that refuses is not suspended. The caller decides what the error means. */
export class Refusal extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data: unknown = null) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.data = data
  }
}

export function isUnreachable(error: unknown): error is ChainFailure {
  return error instanceof ChainFailure && error.kind === 'unreachable'
}

/** One class serves every transport, so that operators read one warning and nobody asks the provider meanwhile. */

export const DEFAULT_WAIT_MS = 1_000

export class RateLimited extends ChainFailure {
  readonly waitMs: number

  /** Only the host of `url` is shown. */
  constructor(url: string, waitMs: number = DEFAULT_WAIT_MS) {
    super('unreachable', `the provider ${new URL(url).host} limits our requests; waiting ${Math.ceil(waitMs / 1000)} s`, {
      retryAfterMs: waitMs,
    })
    this.name = 'RateLimited'
    this.waitMs = waitMs
  }
}

/** Providers limit requests with these words, beside HTTP 429. */
export function saysTooMany(message: string): boolean {
  return /rate.?limit|too many requests|requests per|request (count|limit)|throttl|quota|compute units|credits|over capacity|allowed_rps/i.test(
    message,
  )
}
