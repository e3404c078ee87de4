/** Refuses new quotes and orders while those that exist need all of the solver, or its database cannot be written. */

import { TandemError } from '@tandem/protocol/error.ts'
import type { onRequestHookHandler } from 'fastify'

const RETRY_AFTER_SECONDS = 2

type Gate = {
  /** False while the solver is too busy with the orders that exist. */
  readonly admits: (what: 'quote' | 'order') => boolean
  readonly databaseProblem: () => Promise<string | null>
}

/** Runs before the body is read. */
export function refuseWhenOverloaded({ admits, databaseProblem }: Gate, what: 'quote' | 'order'): onRequestHookHandler {
  return (_request, _reply, done) => {
    if (admits(what)) {
      done()
      return
    }
    // With a database that takes no writes, the swaps in progress wait too: that is no load.
    databaseProblem().then((problem) => done(problem === null ? busy(admits('quote')) : databaseRefusal(problem)), done)
  }
}

function busy(takesQuotes: boolean): TandemError {
  // A service asks nothing until the time that we name: name one only if we take nothing.
  const retry = takesQuotes ? {} : { retryAfterSeconds: RETRY_AFTER_SECONDS }
  return new TandemError('chain_unavailable', 'the solver is busy with the swaps in progress', retry)
}

/** A service relays it to its users: it says whose database it is. */
export function databaseRefusal(problem: string): TandemError {
  return new TandemError('chain_unavailable', `the solver cannot work: ${problem}`, { retryAfterSeconds: RETRY_AFTER_SECONDS })
}
