/** How the answers of several providers about transactions become one. */
import type { Rule } from '@tandem/chain-kit/providers/quorum.ts'
import { byDecision } from '@tandem/chain-kit/providers/rules.ts'
import { verdictOn } from './engine-result.ts'
import type { Outcome, Submission } from './node.ts'

/** A quorum must say that it is validated, with the same result. Otherwise it is pending if a quorum knows it in any way, and else unknown: to send it again does no harm. */
export const validatedByQuorum: Rule<Outcome | null> = byDecision((size) => {
  const keyOf = (outcome: Outcome | null) => (outcome?.kind === 'failed' ? outcome.result : (outcome?.kind ?? 'unknown'))
  return {
    decide: (outcomes) => outcomes.find((one) => outcomes.filter((other) => keyOf(other) === keyOf(one)).length >= size),
    otherwise: (outcomes) => (outcomes.filter((one) => one !== null).length >= size ? { kind: 'pending' } : null),
  }
})

export function isAccepted({ result }: Submission): boolean {
  return verdictOn(result) === 'accepted'
}

/**
 * Where fewer than a quorum accepted it: the most frequent refusal, because one provider that accepts everything must not hide that the others refuse.
 * `mayHaveIt`: a provider failed, and may have forwarded it. Undefined: none answered.
 */
export function combineSubmissions(submissions: readonly Submission[], mayHaveIt: boolean): Submission | undefined {
  const refused = submissions.filter((one) => !isAccepted(one))
  const alike = ({ result }: Submission) => refused.filter((other) => other.result === result).length
  const [common] = refused.toSorted((a, b) => alike(b) - alike(a))
  if (common === undefined) return submissions[0]
  return { result: common.result, isPartlyAccepted: refused.length < submissions.length || mayHaveIt }
}
