/** Watches an order through failures of the service. Anybody can use up the request limit of an app: that must not end a swap. */

import { sleep } from '@tandem/chain-kit/browser/sleep.ts'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import { ApiError, NetworkError } from '../client/errors.ts'
import { watchOrder } from '../client/watch.ts'
import type { SwapContext } from './context.ts'

const MOST_WAIT_MS = 30_000

/** `delayed`: the order could not be read; it is read again after a growing while. */
type News =
  | { readonly kind: 'changed'; readonly orderId: string; readonly record: OrderRecord }
  | { readonly kind: 'delayed'; readonly orderId: string; readonly by: 'service'; readonly reason: string }

/** `mustGoOn`: whatever the service answers. */
export async function* watchPatiently(
  { client, options }: SwapContext,
  orderId: string,
  mustGoOn: () => boolean,
  signal?: AbortSignal,
): AsyncGenerator<News, void> {
  for (let failures = 0; ; failures += 1) {
    try {
      for await (const record of watchOrder(client, options, orderId, signal)) {
        failures = 0
        yield { kind: 'changed', orderId, record }
      }
      return
    } catch (error) {
      signal?.throwIfAborted()
      if (!mayPass(error) && !mustGoOn()) throw error
      yield { kind: 'delayed', orderId, by: 'service', reason: error instanceof Error ? error.message : String(error) }
    }
    await sleep(Math.min((options.pollMs ?? 2_000) * 2 ** failures, MOST_WAIT_MS), signal)
  }
}

/** Too many requests, a failure of the service, or no answer of it. */
export function mayPass(error: unknown): error is Error {
  return error instanceof NetworkError || (error instanceof ApiError && (error.httpStatus === 429 || error.httpStatus >= 500))
}
