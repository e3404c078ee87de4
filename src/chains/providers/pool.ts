/** The providers of one chain: their order, and which of them are suspended because they were dead, late or wrong. */
import { ChainFailure } from '../port/failure.ts'
import type { Provider } from './provider.ts'

export interface ProviderPool<N> {
  /** All, the best first. A sound provider keeps its place, so that our view of the chain does not flap. */
  ranked(): readonly Provider<N>[]
  /** The sound ones, and those whose suspension has run out. */
  available(): readonly Provider<N>[]
  /** Asks one provider, after `problemOf` found none. */
  ask<T>(provider: Provider<N>, question: (node: N) => Promise<T>): Promise<T>
  /** Leaves it out with exponential backoff. `problemOf` is asked again afterwards. */
  suspend(provider: Provider<N>, why: string): void
  /** It keeps up with the others and agrees with them: ends its suspension. */
  restore(provider: Provider<N>): void
}

/** Why a node must not be asked at all, e.g. that it serves another chain, as the end of a sentence about it; null when it may. */
export type ProblemOf<N> = (node: N) => Promise<string | null>

export type PoolOptions<N> = {
  readonly problemOf: ProblemOf<N>
  /** Called once per reason. */
  readonly onTrouble: (what: string) => void
  readonly nowMs?: () => number
}

const FIRST_SUSPENSION_MS = 1_000
const LONGEST_SUSPENSION_MS = 60_000
/** After so long without a failure the backoff starts again. */
const FORGIVEN_AFTER_MS = 600_000

type Score = {
  isChecked: boolean
  failures: number
  failedAtMs: number
  /** Null while sound. */
  suspendedUntilMs: number | null
  reported: string | null
}

export function createProviderPool<N>(
  providers: readonly Provider<N>[],
  { problemOf, onTrouble, nowMs = () => performance.now() }: PoolOptions<N>,
): ProviderPool<N> {
  const fresh = (): Score => ({ isChecked: false, failures: 0, failedAtMs: 0, suspendedUntilMs: null, reported: null })
  const scores = new Map(providers.map((provider) => [provider, fresh()]))
  let sequence = [...providers]

  function scoreOf(provider: Provider<N>): Score {
    const score = scores.get(provider)
    if (score === undefined) throw new Error(`${provider.name} is not in this pool`)
    return score
  }
  const isSound = (provider: Provider<N>) => scoreOf(provider).suspendedUntilMs === null
  const isAvailable = (provider: Provider<N>) => (scoreOf(provider).suspendedUntilMs ?? 0) <= nowMs()

  return {
    ranked: () => [...sequence.filter(isSound), ...sequence.filter((provider) => !isSound(provider))],
    available: () => sequence.filter(isAvailable),

    async ask(provider, question) {
      const score = scoreOf(provider)
      if (!score.isChecked) {
        const problem = await problemOf(provider.node)
        if (problem !== null) throw new ChainFailure('unreachable', problem)
        score.isChecked = true
      }
      return question(provider.node)
    },

    suspend(provider, why) {
      const score = scoreOf(provider)
      const now = nowMs()
      // Requests that ran at the same time fail together and count once.
      if (score.suspendedUntilMs !== null && now < score.suspendedUntilMs) return
      score.failures = now - score.failedAtMs > FORGIVEN_AFTER_MS ? 1 : score.failures + 1
      score.failedAtMs = now
      score.suspendedUntilMs = now + Math.min(FIRST_SUSPENSION_MS * 2 ** (score.failures - 1), LONGEST_SUSPENSION_MS)
      score.isChecked = false
      sequence = [...sequence.filter((other) => other !== provider), provider]
      if (score.reported !== why) onTrouble(`${provider.name} is suspended for a while: ${why}`)
      score.reported = why
    },

    restore(provider) {
      const score = scoreOf(provider)
      score.suspendedUntilMs = null
      score.reported = null
    },
  }
}
