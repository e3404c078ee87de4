/** Hears what several providers say, each its own, until that settles a question. */
import { ChainFailure } from '../../port/failure.ts'
import type { EvmNode } from './node.ts'
import type { Provider, ProviderPool } from './provider-pool.ts'
import { NodeRefusal } from './rpc.ts'

export type Failure = { readonly provider: Provider; readonly error: unknown }

export type Heard<T> = {
  readonly answers: readonly (readonly [Provider, T])[]
  readonly failures: readonly Failure[]
  /** Nobody is left who could say anything else. */
  readonly isAll: boolean
}

export type Hearing<T, R> = {
  readonly ask: (node: EvmNode) => Promise<T>
  /** Below so many answers nothing is decided. */
  readonly enough: number
  /** Undefined: this does not settle it, so that the late and those left aside are heard too. */
  readonly decide: (heard: Heard<T>) => Promise<R | undefined> | R | undefined
  /** When all are heard and it is not settled. */
  readonly otherwise: (heard: Heard<T>) => R
  /** True: those left aside are asked at once too. */
  readonly everyone?: boolean
}

/** After enough have answered, how long the others may take to be heard too. */
const GRACE_MS = 1_000

/** Who says nothing in time is slow only if the others could settle it: else it may be the one who is right. */
export async function hear<T, R>(pool: ProviderPool, { ask, enough, decide, otherwise, everyone = false }: Hearing<T, R>): Promise<R> {
  const ranked = pool.ranked()
  const available = new Set(everyone ? ranked : pool.available())
  const waiting = new Set(ranked)
  const open = new Set<Provider>()
  const answers = new Map<Provider, T>()
  const failures = new Map<Provider, unknown>()
  const mistakes: unknown[] = []
  let wake: () => void = () => undefined

  function start(provider: Provider): void {
    waiting.delete(provider)
    open.add(provider)
    pool.ask(provider, ask).then(
      (answer) => settle(provider, () => answers.set(provider, answer)),
      (error: unknown) => settle(provider, () => fail(provider, error)),
    )
  }

  function settle(provider: Provider, note: () => void): void {
    // Nobody listens any more.
    if (!open.delete(provider)) return
    note()
    wake()
  }

  function fail(provider: Provider, error: unknown): void {
    failures.set(provider, error)
    if (isUnreachable(error)) pool.failed(provider, error.message)
    else if (!(error instanceof NodeRefusal)) mistakes.push(error)
  }

  /** Until someone is heard; false when the time is up before. */
  function next(timeoutMs?: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = timeoutMs === undefined ? null : setTimeout(() => resolve(false), timeoutMs)
      wake = () => {
        if (timer !== null) clearTimeout(timer)
        resolve(true)
      }
    })
  }

  function heard(): Heard<T> {
    const inRank = <V>(from: ReadonlyMap<Provider, V>) =>
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
      if (mistakes.length > 0) throw mistakes[0]
      const known = answers.size + failures.size
      const decision = answers.size < enough ? undefined : await decide(heard())
      if (decision !== undefined) {
        for (const provider of open) pool.failed(provider, 'it is slow')
        return decision
      }
      if (answers.size + failures.size > known) continue
      for (const provider of waiting) start(provider)
      if (open.size === 0) return otherwise(heard())
      await next()
    }
  }

  return run().finally(() => open.clear())
}

export function isUnreachable(error: unknown): error is ChainFailure {
  return error instanceof ChainFailure && error.kind === 'unreachable'
}
