/** A member is one solver as the service knows it: whether it answers, honours its quotes, and pays for the orders that it took. */
import type { Logger } from '@tandem/runtime/log.ts'
import type { SolverClient } from '../solver-client.ts'
import { type Breaker, createBreaker } from './breaker.ts'

/**
 * in      it is asked, and the service waits for its answer
 * trial   it failed recently: it is asked once, but the service does not wait for it if others answer
 * out     it failed recently: it is asked only if no other solver is left
 * blocked it left a funded order unpaid: for a while it gets orders only if all solvers are blocked
 */
export type Standing = 'in' | 'trial' | 'out' | 'blocked'

export interface Member {
  readonly id: string
  readonly client: SolverClient
  standing(): Standing
  /** The result is in millionths. */
  conduct(): number
  asked(): void
  answered(): void
  failed(): void
  recordServes(pair: string, serves: boolean): void
  /** Returns false if the solver recently said that it does not serve the pair. Its answer is then not missed. */
  mayServe(pair: string): boolean
  orderOffered(): void
  orderTaken(): void
  quoteBroken(): void
  /** An order for which it had quoted was funded. `isTaken` is false if it refused the order, which another solver then took, or took it for less. */
  quotedOrderFunded(isTaken: boolean): void
  orderPaid(): void
  orderUnpaid(): void
}

const SECOND = 1_000
const MINUTE = 60 * SECOND

/** The breakers are separate, so that answers to quotes do not make up for orders that the solver did not take or pay. */
const ANSWERS = { failuresToOpen: 3, minBackoffMs: SECOND, maxBackoffMs: MINUTE, trialMs: 5 * SECOND }
const QUOTES = { failuresToOpen: 3, minBackoffMs: 5 * SECOND, maxBackoffMs: 5 * MINUTE, trialMs: 10 * SECOND }
/** A trial is one order, and the user may take minutes to fund it. */
const PAYMENTS = { failuresToOpen: 1, minBackoffMs: 30 * SECOND, maxBackoffMs: 30 * MINUTE, trialMs: 2 * MINUTE }
/** A trial is one order, as with payments. One failure opens it, because a failure is already a share of the last orders. */
const WILLINGNESS = { failuresToOpen: 1, minBackoffMs: 30 * SECOND, maxBackoffMs: 10 * MINUTE, trialMs: 2 * MINUTE }

/** A solver may refuse some users. Refusals count only if they are more than half of the last funded orders. */
const FUNDED_WINDOW = 16
const MIN_REFUSALS = 3

/** A solver may serve a pair later. */
const NOT_SERVED_MS = 10 * MINUTE
/** A service uses fewer pairs. Beyond the limit the oldest is evicted. */
const MAX_PAIRS = 1_000

/** An unpaid order costs its user hours, so it weighs as much as this many answers. */
const UNPAID_WEIGHT = 8

export function createMember(client: SolverClient, log: Pick<Logger, 'warn' | 'info'>, nowMs: () => number): Member {
  const answers = createBreaker(ANSWERS, nowMs)
  const quotes = createBreaker(QUOTES, nowMs)
  const payments = createBreaker(PAYMENTS, nowMs)
  const willingness = createBreaker(WILLINGNESS, nowMs)
  let conduct = PERFECT
  /** The values are the times until which the pairs count as not served. */
  const notServed = new Map<string, number>()
  /** The list says of each of the last funded orders whether the solver had taken it. */
  let taken: readonly boolean[] = []

  function succeed(breaker: Breaker): void {
    const wasClosed = breaker.state() === 'closed'
    conduct = conductAfter(conduct, true)
    breaker.succeed()
    if (!wasClosed && standing() === 'in') log.info({ solver: client.id }, 'the solver works again')
  }

  function fail(breaker: Breaker, why: string, weight = 1): void {
    const wasOpen = breaker.state() === 'open'
    for (let times = 0; times < weight; times++) conduct = conductAfter(conduct, false)
    breaker.fail()
    if (!wasOpen && breaker.state() === 'open')
      log.warn({ solver: client.id, ms: breaker.remainingMs() }, `the solver ${why}: it is not asked for a while`)
  }

  function standing(): Standing {
    const isAway = (breaker: Breaker) => breaker.state() === 'open' || breaker.state() === 'on trial'
    if (isAway(payments)) return 'blocked'
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
    recordServes(pair, serves) {
      notServed.delete(pair)
      if (serves) return
      notServed.set(pair, nowMs() + NOT_SERVED_MS)
      const oldest = notServed.keys().next().value
      if (notServed.size > MAX_PAIRS && oldest !== undefined) notServed.delete(oldest)
    },
    mayServe: (pair) => (notServed.get(pair) ?? 0) <= nowMs(),
    orderOffered() {
      quotes.begin()
      payments.begin()
      willingness.begin()
    },
    orderTaken: () => succeed(quotes),
    quoteBroken: () => fail(quotes, 'does not honour its quotes'),
    quotedOrderFunded(isTaken) {
      taken = [...taken, isTaken].slice(-FUNDED_WINDOW)
      const refusals = taken.filter((one) => !one).length
      if (isTaken) willingness.succeed()
      else if (refusals >= MIN_REFUSALS && 2 * refusals > taken.length) fail(willingness, 'refuses most orders that it quotes for')
    },
    orderPaid: () => succeed(payments),
    orderUnpaid: () => fail(payments, 'does not pay for an order', UNPAID_WEIGHT),
  }
}

export type SettledOrders = { readonly completed: number; readonly refunded: number }

export const NOTHING_SETTLED: SettledOrders = { completed: 0, refunded: 0 }

const WHOLE = 1_000_000
/** A new solver counts as if it had completed nine of ten orders, so that one order does not decide. */
const PRIOR: SettledOrders = { completed: 9, refunded: 1 }
/** The last 32 answers make two thirds of the conduct. */
const MEMORY = 32

export function reliability({ completed, refunded }: SettledOrders, conduct: number): number {
  const kept = completed + PRIOR.completed
  const settled = Math.floor((kept * WHOLE) / (kept + refunded + PRIOR.refunded))
  return Math.floor((settled * conduct) / WHOLE)
}

export const PERFECT = WHOLE

/** The result is rounded down, so a failure always costs something. */
export function conductAfter(conduct: number, isGood: boolean): number {
  return Math.floor((conduct * (MEMORY - 1) + (isGood ? WHOLE : 0)) / MEMORY)
}
