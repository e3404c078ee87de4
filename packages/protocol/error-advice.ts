/** Each error code has a meaning and advice for the caller. A code without advice does not compile. */
import type { ErrorCode } from './error.ts'

export type ErrorAdvice = { readonly means: string; readonly todo: string }

export const errorAdvice: Readonly<Record<ErrorCode, ErrorAdvice>> = {
  bad_request: {
    means: 'A field is missing, has a wrong form, or contradicts another one.',
    todo: 'Change what `error` names. The same request will be refused again.',
  },
  amount_out_of_range: {
    means: 'The amount is below the minimum or above the maximum that can be swapped now.',
    todo: 'Use an amount within the limits that `error` names; `min_amount` and `max_amount` of [assets](/docs/api/listAssets) show them in advance.',
  },
  unsupported_pair: {
    means: 'An asset is not known here, or the policy of the operator does not allow this pair.',
    todo: 'Choose from [assets](/docs/api/listAssets) with `from`, which lists what the source can be swapped to.',
  },
  insufficient_liquidity: {
    means: 'No solver holds enough of the destination asset.',
    todo: 'Ask for less, or later; [liquidity](/docs/api/getLiquidity) shows what is available.',
  },
  no_quotes: {
    means: 'No solver made an offer: each declined or did not answer.',
    todo: 'Ask again after some seconds. If that does not help, the pair is halted: try another one.',
  },
  price_moved: {
    means: 'The price changed between the quote and the order, by more than `slippage` allows.',
    todo: 'Get a new quote, show it to the user, and make the order with its amounts.',
  },
  invalid_address: {
    means: 'An address does not belong to its chain, or has a wrong checksum.',
    todo: 'Let the user correct it. Never correct it for them.',
  },
  invalid_signature: {
    means: 'A signature is not by the required account, or not over this order.',
    todo: 'Sign the `typed_data`, hash or line of exactly this order, with the key of its owner.',
  },
  unauthorized: {
    means: 'The app id is missing or not known to this service.',
    todo: 'Send your app id in the header that `error` names. The operator makes one with `tandem apps create`.',
  },
  forbidden: {
    means: 'The app id is known, but may not do this: another origin, a missing permission, or an order of another app.',
    todo: 'Ask the operator to list the origin or the permission: `tandem apps update`. For an order, use the app that made it.',
  },
  not_found: {
    means: 'There is no such order, schema or path.',
    todo: 'Check the id. An order is known as soon as `POST /orders` has answered.',
  },
  method_not_allowed: {
    means: 'The path exists, but not with this method.',
    todo: 'Use a method of the header `Allow`.',
  },
  conflict: {
    means: 'The state of the order does not allow this, or the same key was used for something else.',
    todo: 'Read the order: `status` and `next_action` say what is possible now.',
  },
  payload_too_large: {
    means: 'The body is larger than any valid request.',
    todo: 'Send only the fields of this endpoint.',
  },
  unsupported_media_type: {
    means: 'The body is not sent as JSON.',
    todo: 'Send `content-type: application/json`.',
  },
  rate_limited: {
    means:
      'Too many requests of this app, of your address, or for this order; or the budget of what the service pays for is used up for now.',
    todo: 'Wait for the seconds in `Retry-After`, then repeat. The SDK does so automatically.',
  },
  internal: {
    means: 'The service failed unexpectedly.',
    todo: 'Repeat with the same `Idempotency-Key`: nothing is done twice. If it fails again, give the operator the id in `error`.',
  },
  chain_unavailable: {
    means: 'A chain, the database or all solvers do not answer, or the service is overloaded.',
    todo: 'Wait for the seconds in `Retry-After`, then repeat. Existing orders go on.',
  },
}
