/** Refuses what would start a new swap while the service is overloaded or nobody would redeem it. Everything about orders that exist is served. */

import { TandemError } from '@tandem/protocol/error.ts'
import type { onRequestHookHandler } from 'fastify'
import type { ServiceContext } from '../context.ts'

const RETRY_AFTER_SECONDS = 2

/** For routes that start a swap. Runs before the body is read. */
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
    // With a database that takes no writes, the swaps in progress wait too: that is no load.
    else context.databaseProblem().then((problem) => refuse(problem ?? 'busy with the swaps in progress'), done)
  }
}
