/** One solver as the service knows it: whether it answers, takes what it quoted, and pays for what it took. */
import type { Logger } from '@tandem/runtime/log.ts'
import type { SolverClient } from '../solver-client.ts'
import { type Breaker, createBreaker } from './breaker.ts'
import { conductAfter, UNBLEMISHED } from './reliability.ts'

/**
 * in      it is asked, and waited for
 * trial   it failed lately: it is asked once, but nobody waits for it if others answer
 * out     it failed lately: it is asked only if no other solver is left
 * barred  it left a funded order unpaid: for a while it gets orders only if all solvers are barred
 */
export type Standing = 'in' | 'trial' | 'out' | 'barred'

export interface Member {
  readonly id: string
  readonly client: SolverClient
  standing(): Standing
  /** Its recent conduct, in millionths. */
  conduct(): number
  asked(): void
  /** It answered in time and by the protocol, if only with a refusal. */
  answered(): void
  /** It was too slow, failed, or answered what cannot be true. */
  failed(): void
  /** Whether it said at its last answer that it does not serve this pair. */
  noteServes(pair: string, serves: boolean): void
  /** False if it lately said that it does not. A solver that is silent then is not missed. */
  mayServe(pair: string): boolean
  orderOffered(): void
  orderTaken(): void
  /** It does not take an order at the price that it quoted. */
  quoteBroken(): void
  /** An order was funded for which it had quoted. `isTaken` false: it had refused the order, and another solver has it, or it took it for less. */
  quotedOrderFunded(isTaken: boolean): void
  orderPaid(): void
  /** It took the order, the user funded it, and it does not pay. */
  orderUnpaid(): void
}

const SECOND = 1_000
const MINUTE = 60 * SECOND

/** Separate, so that answers to quotes do not make up for orders that it did not take or pay. */
const ANSWERS = { failuresToOpen: 3, firstPauseMs: SECOND, longestPauseMs: MINUTE, trialMs: 5 * SECOND }
const QUOTES = { failuresToOpen: 3, firstPauseMs: 5 * SECOND, longestPauseMs: 5 * MINUTE, trialMs: 10 * SECOND }
/** A trial is one order: the user may take minutes to fund it. */
const PAYMENTS = { failuresToOpen: 1, firstPauseMs: 30 * SECOND, longestPauseMs: 30 * MINUTE, trialMs: 2 * MINUTE }
/** A trial is one order, as with payments. What counts is a share already. */
const WILLINGNESS = { failuresToOpen: 1, firstPauseMs: 30 * SECOND, longestPauseMs: 10 * MINUTE, trialMs: 2 * MINUTE }

/** A solver may refuse some users: that counts only if it refuses more of the funded orders than it takes. */
const FUNDED_WINDOW = 16
const LEAST_REFUSALS = 3

/** What a solver does not serve now, it may serve later. */
const NOT_SERVED_MS = 10 * MINUTE
/** More pairs than a service has in use. The oldest is forgotten. */
const MOST_PAIRS = 1_000

/** An unpaid order costs its user hours: it weighs as much as so many answers. */
const UNPAID_WEIGHT = 8

export function createMember(client: SolverClient, log: Pick<Logger, 'warn' | 'info'>, nowMs: () => number): Member {
  const answers = createBreaker(ANSWERS, nowMs)
  const quotes = createBreaker(QUOTES, nowMs)
  const payments = createBreaker(PAYMENTS, nowMs)
  const willingness = createBreaker(WILLINGNESS, nowMs)
  let conduct = UNBLEMISHED
  /** Pairs that it does not serve, until when that counts. */
  const notServed = new Map<string, number>()
  /** Of the last funded orders: whether it had taken them. */
  let taken: readonly boolean[] = []

  function succeed(breaker: Breaker): void {
    const wasClosed = breaker.state() === 'closed'
    conduct = conductAfter(conduct, true)
    breaker.succeed()
    if (!wasClosed && standing() === 'in') log.info({ solver: client.id }, 'the solver is back')
  }

  function fail(breaker: Breaker, why: string, weight = 1): void {
    const wasOpen = breaker.state() === 'open'
    for (let times = 0; times < weight; times++) conduct = conductAfter(conduct, false)
    breaker.fail()
    if (!wasOpen && breaker.state() === 'open')
      log.warn({ solver: client.id, ms: breaker.remainingMs() }, `the solver ${why}: it is left out for a while`)
  }

  function standing(): Standing {
    const isAway = (breaker: Breaker) => breaker.state() === 'open' || breaker.state() === 'on trial'
    if (isAway(payments)) return 'barred'
    if (isAway(answers) || isAway(quotes) || isAway(willingness)) return 'out'
    return answers.state() === 'trial due' ? 'trial' : 'in'
  }

  return {
    id: client.id,
    client,
    standing,
    conduct: () => conduct,
    asked: () => answers.begin(),
    answered: () => succeed(answers),
    failed: () => fail(answers, 'fails'),
    noteServes(pair, serves) {
      notServed.delete(pair)
      if (serves) return
      notServed.set(pair, nowMs() + NOT_SERVED_MS)
      const oldest = notServed.keys().next().value
      if (notServed.size > MOST_PAIRS && oldest !== undefined) notServed.delete(oldest)
    },
    mayServe: (pair) => (notServed.get(pair) ?? 0) <= nowMs(),
    orderOffered() {
      quotes.begin()
      payments.begin()
      willingness.begin()
    },
    orderTaken: () => succeed(quotes),
    quoteBroken: () => fail(quotes, 'does not take what it quotes'),
    quotedOrderFunded(isTaken) {
      taken = [...taken, isTaken].slice(-FUNDED_WINDOW)
      const refusals = taken.filter((one) => !one).length
      if (isTaken) willingness.succeed()
      else if (refusals >= LEAST_REFUSALS && 2 * refusals > taken.length) fail(willingness, 'refuses most orders that it quotes for')
    },
    orderPaid: () => succeed(payments),
    orderUnpaid: () => fail(payments, 'does not pay for an order', UNPAID_WEIGHT),
  }
}
