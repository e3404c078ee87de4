/** The error type of the product, and the HTTP status of each of its codes. */

export const errorStatus = {
  bad_request: 400,
  amount_out_of_range: 400,
  unsupported_pair: 400,
  insufficient_liquidity: 400,
  no_quotes: 400,
  price_moved: 400,
  invalid_address: 400,
  invalid_signature: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal: 500,
  chain_unavailable: 503,
} as const

export type ErrorCode = keyof typeof errorStatus

/** The message says to the caller what is wrong, what was expected and what was received. */
export class TandemError extends Error {
  readonly code: ErrorCode
  /** A retry may succeed after this many seconds. Null means unknown. */
  readonly retryAfterSeconds: number | null

  constructor(code: ErrorCode, message: string, options: ErrorOptions & { readonly retryAfterSeconds?: number } = {}) {
    super(message, options)
    this.name = 'TandemError'
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds ?? null
  }
}

/**
 * Another order was made with the same quote, which is a promise for one order only, and the current price is below what the user accepts. It is nobody's fault:
 * a popular quote is given to many.
 */
export class QuoteUsed extends TandemError {
  readonly priceNow: string

  constructor(message: string, priceNow: string) {
    super('price_moved', message)
    this.priceNow = priceNow
  }
}
