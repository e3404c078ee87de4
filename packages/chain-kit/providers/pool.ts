/** Orders the providers of one chain, and suspends those that were dead, late or wrong. */
import { ChainFailure } from '../port/failure.ts'
import { RateLimited } from './refusal.ts'

export interface ProviderPool<N> {
  /** The best comes first. A healthy provider keeps its place, so that our view of the chain does not flap. */
  ranked(): readonly Provider<N>[]
  /** These are the healthy providers, and those whose suspension has expired. */
  available(): readonly Provider<N>[]
  /** Asks one provider, but first runs `problemOf` on it, once after each suspension. */
  ask<T>(provider: Provider<N>, question: (node: N) => Promise<T>): Promise<T>
  /**
   * Suspends it with exponential backoff. `problemOf` runs again afterwards. One that limits our requests is suspended for the time that it names, and
   * that is reported once in ten minutes.
   */
  suspend(provider: Provider<N>, why: string | Error): void
  /** Ends its suspension: it is not behind and agrees with the others. */
  restore(provider: Provider<N>): void
}

/** This tells why a node must not be used at all, e.g. "serves another chain", without its subject. Null means that it may be used. */
export type ProblemOf<N> = (node: N) => Promise<string | null>

export type PoolOptions<N> = {
  readonly problemOf: ProblemOf<N>
  readonly onTrouble: (what: string) => void
  readonly nowMs?: () => number
}

const FIRST_SUSPENSION_MS = 1_000
const MAX_SUSPENSION_MS = 60_000
/** After this time without a failure the backoff starts again at its minimum. */
const BACKOFF_RESET_MS = 600_000

type Score = {
  isChecked: boolean
  failures: number
  failedAtMs: number
  suspendedUntilMs: number | null
  reported: string | null
  limitReportedAtMs: number
}

export function createProviderPool<N>(
  providers: readonly Provider<N>[],
  { problemOf, onTrouble, nowMs = () => performance.now() }: PoolOptions<N>,
): ProviderPool<N> {
  const fresh = (): Score => ({
    isChecked: false,
    failures: 0,
    failedAtMs: 0,
    suspendedUntilMs: null,
    reported: null,
    limitReportedAtMs: Number.NEGATIVE_INFINITY,
  })
  const scores = new Map(providers.map((provider) => [provider, fresh()]))
  let sequence = [...providers]

  function scoreOf(provider: Provider<N>): Score {
    const score = scores.get(provider)
    if (score === undefined) throw new Error(`${provider.name} is not in this pool`)
    return score
  }
  const isHealthy = (provider: Provider<N>) => scoreOf(provider).suspendedUntilMs === null
  const isAvailable = (provider: Provider<N>) => (scoreOf(provider).suspendedUntilMs ?? 0) <= nowMs()

  return {
    ranked: () => [...sequence.filter(isHealthy), ...sequence.filter((provider) => !isHealthy(provider))],
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
      sequence = [...sequence.filter((other) => other !== provider), provider]
      if (why instanceof RateLimited) {
        score.suspendedUntilMs = now + why.waitMs
        if (now - score.limitReportedAtMs < BACKOFF_RESET_MS) return
        score.limitReportedAtMs = now
        onTrouble(why.message)
        return
      }
      score.failures = now - score.failedAtMs > BACKOFF_RESET_MS ? 1 : score.failures + 1
      score.failedAtMs = now
      score.suspendedUntilMs = now + Math.min(FIRST_SUSPENSION_MS * 2 ** (score.failures - 1), MAX_SUSPENSION_MS)
      score.isChecked = false
      const reason = typeof why === 'string' ? why : why.message
      if (score.reported !== reason) onTrouble(`${provider.name} is suspended for a while: ${reason}`)
      score.reported = reason
    },

    restore(provider) {
      const score = scoreOf(provider)
      score.suspendedUntilMs = null
      score.reported = null
    },
  }
}

export type Provider<N> = {
  /** The name is the host, never more of the URL, which may contain an API key. */
  readonly name: string
  readonly node: N
}
