/** A process without the key that signs claims asks an engine for them. */
import { TandemError } from '@tandem/protocol/error.ts'
import type { EngineQuestions } from '../engine-questions/ask-engine.ts'
import { claimQuestions, type SignClaims } from './claim-question.ts'

/** After a question that failed, others fail at once: anyone may read claims, and each would wait as long. */
const PAUSE_MS = 5_000

export type ClaimAsker = {
  readonly questions: Pick<EngineQuestions, 'ask'>
  /** Returns why no engine can answer, or null. */
  engineProblem(): string | null
}

export function askForClaims({ questions, engineProblem }: ClaimAsker): SignClaims {
  let failed: { readonly error: unknown; readonly untilMs: number } | null = null

  return async (asked) => {
    const problem = engineProblem()
    if (problem !== null) throw new TandemError('chain_unavailable', `claims cannot be signed now: ${problem}`)
    if (failed !== null && performance.now() < failed.untilMs) throw failed.error
    try {
      const states = await questions.ask(claimQuestions, asked)
      if (states.length !== asked.affiliates.length)
        throw new TandemError('internal', `the engine answered for ${states.length} of ${asked.affiliates.length} affiliates`)
      failed = null
      return states
    } catch (error) {
      failed = { error, untilMs: performance.now() + PAUSE_MS }
      throw error
    }
  }
}
