/** Which refusal a client gets when no solver has a price or takes an order. */
import { TandemError } from '@tandem/protocol/error.ts'

const RETRY_AFTER_SECONDS = 2

export const isNotServed = ({ code }: TandemError): boolean => code === 'unsupported_pair'

/**
 * A refusal is relayed only if every solver that serves the pair refused: what is temporary at one of them may end, so the client asks again.
 * `isUnheard`: a solver that may serve the pair did not answer. Null: nobody refused.
 */
export function relayedRefusal(refusals: readonly TandemError[], isUnheard: boolean): TandemError | null {
  const [first] = refusals
  if (first === undefined) return null
  const serving = refusals.filter((refusal) => !isNotServed(refusal))
  const temporary = serving.find(({ code }) => code === 'chain_unavailable')
  if (temporary !== undefined) return temporary
  if (!isUnheard) return serving[0] ?? first
  return new TandemError('chain_unavailable', 'a solver that may serve this pair does not answer at the moment; try again', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
}
