/** The errors of the client: one class for each code of the API, and one for answers that never came. */
import type { ErrorCode } from '@tandem/protocol/error.ts'

/** A refusal by the service. `message` says what is wrong, what was expected and what was received. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly httpStatus: number
  /** Seconds until a repeat may succeed, if the service said so. */
  readonly retryAfterSeconds: number | null

  constructor(
    code: ErrorCode,
    message: string,
    { httpStatus, retryAfterSeconds }: { httpStatus: number; retryAfterSeconds: number | null },
  ) {
    super(message)
    // A minifier changes the names of classes.
    this.name = new.target === ApiError ? 'ApiError' : nameOf(code)
    this.code = code
    this.httpStatus = httpStatus
    this.retryAfterSeconds = retryAfterSeconds
  }
}

function nameOf(code: ErrorCode): string {
  return `${code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}Error`
}

export class BadRequestError extends ApiError {}
export class AmountOutOfRangeError extends ApiError {}
export class UnsupportedPairError extends ApiError {}
export class InsufficientLiquidityError extends ApiError {}
export class NoQuotesError extends ApiError {}
export class PriceMovedError extends ApiError {}
export class InvalidAddressError extends ApiError {}
export class InvalidSignatureError extends ApiError {}
export class UnauthorizedError extends ApiError {}
export class ForbiddenError extends ApiError {}
export class NotFoundError extends ApiError {}
export class MethodNotAllowedError extends ApiError {}
export class ConflictError extends ApiError {}
export class PayloadTooLargeError extends ApiError {}
export class UnsupportedMediaTypeError extends ApiError {}
export class RateLimitedError extends ApiError {}
export class InternalError extends ApiError {}
export class ChainUnavailableError extends ApiError {}

/** A code without a class does not compile. */
const classes: Readonly<Record<ErrorCode, typeof ApiError>> = {
  bad_request: BadRequestError,
  amount_out_of_range: AmountOutOfRangeError,
  unsupported_pair: UnsupportedPairError,
  insufficient_liquidity: InsufficientLiquidityError,
  no_quotes: NoQuotesError,
  price_moved: PriceMovedError,
  invalid_address: InvalidAddressError,
  invalid_signature: InvalidSignatureError,
  unauthorized: UnauthorizedError,
  forbidden: ForbiddenError,
  not_found: NotFoundError,
  method_not_allowed: MethodNotAllowedError,
  conflict: ConflictError,
  payload_too_large: PayloadTooLargeError,
  unsupported_media_type: UnsupportedMediaTypeError,
  rate_limited: RateLimitedError,
  internal: InternalError,
  chain_unavailable: ChainUnavailableError,
}

/** A code that this version does not know becomes a plain `ApiError`. */
export function errorOf(code: ErrorCode, message: string, facts: { httpStatus: number; retryAfterSeconds: number | null }): ApiError {
  const Class = new Map(Object.entries(classes)).get(code) ?? ApiError
  return new Class(code, message, facts)
}

/** There was no answer, or one that is not of this API. The request may have been carried out. */
export class NetworkError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'NetworkError'
  }
}
