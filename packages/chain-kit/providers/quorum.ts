/** Defines the quorum, which is the number of providers of a pool that must agree, and the error when they do not. */
import { ChainFailure } from '../port/failure.ts'
import type { Provider, ProviderPool } from './pool.ts'
import { Refusal } from './refusal.ts'

export type Quorum<N> = {
  readonly pool: ProviderPool<N>
  /** This many providers must agree where money depends on the answer. We are safe while fewer than this many lie. */
  readonly size: number
  /** True means that the chain itself gives the error, e.g. a revert: providers can agree on it. The default is never. */
  readonly isExecutionError?: (error: unknown) => boolean
}

export type Question<N, T> = {
  readonly what: string
  readonly ask: (node: N) => Promise<T>
}

export type Rule<T> = <N>(quorum: Quorum<N>, question: Question<N, T>) => Promise<T>

export type Failure<N> = { readonly provider: Provider<N>; readonly error: unknown }

/** The error says that no quorum was reached. Providers in one of the `groups` gave the same answer. */
export function noAgreement<N>(
  what: string,
  size: number,
  groups: readonly (readonly Provider<N>[])[],
  failures: readonly Failure<N>[],
): ChainFailure {
  const failed = failures.map(({ provider, error }) => `${provider.name}: ${error instanceof Error ? error.message : error}`)
  const others = failed.length > 0 ? `; ${failed.join('; ')}` : ''
  if (groups.length > 1) {
    const sides = groups.map((group) => group.map(({ name }) => name).join(' and ')).join(' against ')
    return new ChainFailure('unreachable', `${what}: providers do not agree, ${sides}; ${size} must${others}`)
  }
  return new ChainFailure('unreachable', `${what}: ${groups[0]?.length ?? 0} of the ${size} providers needed answered${others}`)
}

/** False means that a provider failed otherwise, e.g. by a timeout: it may have done what it was asked. */
export function isRefusedByAll<N>(failures: readonly Failure<N>[]): boolean {
  return failures.every(({ error }) => error instanceof Refusal)
}

export function refusalAmong<N>(failures: readonly Failure<N>[]): Refusal | undefined {
  return failures.map(({ error }) => error).find((error) => error instanceof Refusal)
}
