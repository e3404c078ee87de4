/** Requests that start a swap are refused while the service is overloaded or nobody would redeem the swap. Existing orders are served. */

import { TandemError } from '@tandem/protocol/error.ts'
import type { onRequestHookHandler } from 'fastify'
import type { ServiceContext } from '../context.ts'

const RETRY_AFTER_SECONDS = 2

/** The hook runs before the body is read. */
export function refuseWhenOverloaded(
  context: Pick<ServiceContext, 'admits' | 'engineProblem' | 'databaseProblem'>,
  what: 'quote' | 'order',
): onRequestHookHandler {
  return (_request, _reply, done) => {
    if (context.admits(what)) {
      done()
      return
    }
    const refuse = (reason: string) => {
      const message = `${reason}: no new swap starts now; try again in ${RETRY_AFTER_SECONDS} seconds`
      done(new TandemError('chain_unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS }))
    }
    const known = context.engineProblem()
    if (known !== null) refuse(known)
    // A database that takes no writes also delays the swaps in progress, which looks like load, so the message must name the cause.
    else context.databaseProblem().then((problem) => refuse(problem ?? 'busy with the swaps in progress'), done)
  }
}
