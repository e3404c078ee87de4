/** Refuses what would start a new swap while the service is overloaded. Everything about orders that exist is served. */
import type { onRequestHookHandler } from 'fastify'
import { TandemError } from '../../protocol/error.ts'
import type { ServiceContext } from '../context.ts'

const RETRY_AFTER_SECONDS = 2

/** For routes that start a swap. Runs before the body is read. */
export function refuseWhenOverloaded({ admits }: Pick<ServiceContext, 'admits'>, what: 'quote' | 'order'): onRequestHookHandler {
  return (_request, _reply, done) => {
    if (admits(what)) {
      done()
      return
    }
    const message = `busy with the swaps in progress: no new swap starts now; try again in ${RETRY_AFTER_SECONDS} seconds`
    done(new TandemError('chain_unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS }))
  }
}
