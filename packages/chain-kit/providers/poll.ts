/** Asks all available providers in parallel, until their answers decide. */
import type { Provider, ProviderPool } from './pool.ts'
import type { Failure } from './quorum.ts'
import { isUnreachable, Refusal } from './refusal.ts'

export type Answers<N, T> = {
  readonly answers: readonly (readonly [Provider<N>, T])[]
  readonly failures: readonly Failure<N>[]
  readonly isAll: boolean
}

export type Poll<N, T, R> = {
  readonly ask: (node: N) => Promise<T>
  /** `decide` is not called with fewer answers than this. */
  readonly enough: number
  /** Undefined means that nothing is decided. Then the poll also waits for late providers and asks suspended ones. */
  readonly decide: (answers: Answers<N, T>) => Promise<R | undefined> | R | undefined
  /** This is called when every provider has answered or failed and `decide` still returns undefined. */
  readonly otherwise: (answers: Answers<N, T>) => R
  readonly everyone?: boolean
}

/** A poll waits this long for the other providers after enough have answered. */
const GRACE_MS = 1_000

/** Suspends a late provider only if quorum was reached without it: otherwise it may be the honest one. */
export async function poll<N, T, R>(
  pool: ProviderPool<N>,
  { ask, enough, decide, otherwise, everyone = false }: Poll<N, T, R>,
): Promise<R> {
  const ranked = pool.ranked()
  const available = new Set(everyone ? ranked : pool.available())
  const waiting = new Set(ranked)
  const open = new Set<Provider<N>>()
  const answers = new Map<Provider<N>, T>()
  const failures = new Map<Provider<N>, unknown>()
  const bugs: unknown[] = []
  let wake: () => void = () => undefined

  function start(provider: Provider<N>): void {
    waiting.delete(provider)
    open.add(provider)
    pool.ask(provider, ask).then(
      (answer) => settle(provider, () => answers.set(provider, answer)),
      (error: unknown) => settle(provider, () => fail(provider, error)),
    )
  }

  function settle(provider: Provider<N>, note: () => void): void {
    if (!open.delete(provider)) return
    note()
    wake()
  }

  function fail(provider: Provider<N>, error: unknown): void {
    failures.set(provider, error)
    if (isUnreachable(error)) pool.suspend(provider, error)
    else if (!(error instanceof Refusal)) bugs.push(error)
  }

  /** False means that the time is up before the next answer or failure. */
  function next(timeoutMs?: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = timeoutMs === undefined ? null : setTimeout(() => resolve(false), timeoutMs)
      wake = () => {
        if (timer !== null) clearTimeout(timer)
        resolve(true)
      }
    })
  }

  function soFar(): Answers<N, T> {
    const inRank = <V>(from: ReadonlyMap<Provider<N>, V>) =>
      ranked.flatMap((provider) => [...from].filter(([one]) => one === provider).map(([, value]) => [provider, value] as const))
    return {
      answers: inRank(answers),
      failures: inRank(failures).map(([provider, error]) => ({ provider, error })),
      isAll: open.size + waiting.size === 0,
    }
  }

  async function run(): Promise<R> {
    for (const provider of ranked.filter((one) => available.has(one))) start(provider)
    while (open.size > 0 && answers.size < enough) await next()
    const untilMs = performance.now() + GRACE_MS
    while (open.size > 0 && (await next(Math.max(untilMs - performance.now(), 0))));
    for (;;) {
      if (bugs.length > 0) throw bugs[0]
      const known = answers.size + failures.size
      const decision = answers.size < enough ? undefined : await decide(soFar())
      if (decision !== undefined) {
        for (const provider of open) pool.suspend(provider, 'it is slow')
        return decision
      }
      // Another provider answered while we decided.
      if (answers.size + failures.size > known) continue
      for (const provider of waiting) start(provider)
      if (open.size === 0) return otherwise(soFar())
      await next()
    }
  }

  return run().finally(() => open.clear())
}
