/** Says where the source of an order was read, for a signer that reads it again. */
import type { SourceEvidence, SourceHint } from '@tandem/keys/purpose.ts'
import type { Step } from '../party.ts'

/** Returns null for a step that was not proven. Its state is derived from the evidence alone, so no row can say what it is paid with. */
export function sourceEvidence({ state, evidence }: Pick<Step, 'state' | 'evidence'>): SourceEvidence | null {
  if (evidence?.legs.source === undefined) return null
  const { chain, terms } = state.order.source
  const deposits = state.source.counted.flatMap(({ id, block }) => (block === null ? [] : [{ id, height: block.height }]))
  const hint: SourceHint = { chain, terms, deposits }
  // The brand exists in types only.
  return hint as SourceEvidence
}
