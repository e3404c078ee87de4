/** A provider that wants fewer requests. It is one class for every transport, so that operators read one warning and no provider is asked meanwhile. */
import { ChainFailure } from '../port/failure.ts'

/** A provider that names no time is left alone for so long. */
export const DEFAULT_WAIT_MS = 1_000

export class RateLimited extends ChainFailure {
  readonly waitMs: number

  /** `url`: only its host is shown. */
  constructor(url: string, waitMs: number = DEFAULT_WAIT_MS) {
    super('unreachable', `the provider ${new URL(url).host} limits our requests; waiting ${Math.ceil(waitMs / 1000)} s`, {
      retryAfterMs: waitMs,
    })
    this.name = 'RateLimited'
    this.waitMs = waitMs
  }
}

/** What providers say in errors of their own, beside HTTP 429. */
export function saysTooMany(message: string): boolean {
  return /rate.?limit|too many requests|requests per|request (count|limit)|throttl|quota|compute units|credits|over capacity|allowed_rps/i.test(
    message,
  )
}
