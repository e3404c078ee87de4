/** Asks as few providers as possible until `quorum` of them give the same answer. */
import type { Provider } from './pool.ts'
import { type Failure, noAgreement, type Question, type Quorum, refusalAmong } from './quorum.ts'
import { isUnreachable, Refusal } from './refusal.ts'

export type Equality<T> = {
  /** Equal answers have the same text. Null means that the provider does not have the answer. */
  readonly keyOf: (answer: T) => string | null
  /** If true, new blocks cannot change the answer: a provider that contradicts the quorum is wrong, so it is suspended. */
  readonly isImmutable: boolean
  /** Picks one of the answers with the same key. The default is the first that came. */
  readonly pick?: (alike: readonly T[]) => T
}

/** After this time without an answer the next provider is asked too. */
const ASK_NEXT_AFTER_MS = 2_000
/** A provider is slow after this time. It is shorter than the time above, because the timer may fire a millisecond early, and starts before the question. */
const SLOW_AFTER_MS = 1_900

type Vote<N, T> = {
  readonly providers: Provider<N>[]
  readonly key: string | null
  readonly answers: T[]
  readonly executionError: { readonly error: unknown } | null
}

/** Starts with `quorum` providers and asks the next when one fails, differs or is slow. */
export function askUntilEqual<N, T>(
  { pool, size, isExecutionError = () => false }: Quorum<N>,
  { what, ask }: Question<N, T>,
  { keyOf, isImmutable, pick = ([first]) => first as T }: Equality<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const waiting = [...pool.ranked()]
    const open = new Map<Provider<N>, number>()
    const votes = new Map<string, Vote<N, T>>()
    const failures: Failure<N>[] = []
    const timer = setInterval(() => startNext(), ASK_NEXT_AFTER_MS)
    let isSettled = false

    function settle(finish: () => void): void {
      isSettled = true
      clearInterval(timer)
      finish()
    }

    function startNext(): void {
      const provider = waiting.shift()
      if (provider === undefined) return
      open.set(provider, performance.now())
      pool.ask(provider, ask).then(
        (answer) => record(provider, () => recordAnswer(provider, answer)),
        (error: unknown) => record(provider, () => recordError(provider, error)),
      )
    }

    function record(provider: Provider<N>, note: () => void): void {
      open.delete(provider)
      if (isSettled) return
      note()
      if (!isSettled) decide()
    }

    function vote(
      provider: Provider<N>,
      {
        ballot,
        key,
        answers,
        executionError = null,
      }: { ballot: string; key: string | null; answers: T[]; executionError?: Vote<N, T>['executionError'] },
    ): void {
      const known = votes.get(ballot)
      if (known === undefined) votes.set(ballot, { providers: [provider], key, answers, executionError })
      else {
        known.providers.push(provider)
        known.answers.push(...answers)
      }
    }

    function recordAnswer(provider: Provider<N>, answer: T): void {
      const key = keyOf(answer)
      vote(provider, { ballot: `answer ${key}`, key, answers: [answer] })
    }

    function recordError(provider: Provider<N>, error: unknown): void {
      // Nodes word the same execution error differently, and some omit its data: all count as equal.
      if (isExecutionError(error)) vote(provider, { ballot: 'execution error', key: null, answers: [], executionError: { error } })
      else if (error instanceof Refusal) failures.push({ provider, error })
      else if (isUnreachable(error)) {
        pool.suspend(provider, error)
        failures.push({ provider, error })
      } else settle(() => reject(error))
    }

    function decide(): void {
      const ballots = [...votes.values()].sort((a, b) => b.providers.length - a.providers.length)
      const [first] = ballots
      const votesForFirst = first?.providers.length ?? 0
      if (first !== undefined && votesForFirst >= size) {
        settle(() => accept(first))
        return
      }
      while (votesForFirst + open.size < size && waiting.length > 0) startNext()
      if (open.size === 0) settle(() => reject(undecided(ballots)))
    }

    function undecided(ballots: readonly Vote<N, T>[]): Error {
      const groups = ballots.map(({ providers }) => providers)
      return (ballots.length === 0 ? refusalAmong(failures) : undefined) ?? noAgreement(what, size, groups, failures)
    }

    function accept(winner: Vote<N, T>): void {
      for (const { providers, key } of votes.values()) {
        if (isImmutable && key !== null && winner.key !== null && key !== winner.key)
          for (const provider of providers) pool.suspend(provider, `it contradicts the others about ${what}`)
      }
      for (const [provider, sinceMs] of open) {
        if (performance.now() - sinceMs >= SLOW_AFTER_MS) pool.suspend(provider, 'it is slow')
      }
      if (winner.executionError === null) resolve(pick(winner.answers))
      else reject(winner.executionError.error)
    }

    for (let started = 0; started < size; started += 1) startNext()
    decide()
  })
}
