/** Parses what the user gave: a signature over the terms, or the name of an offer and a signature over that. */

import { TandemError } from '@tandem/protocol/error.ts'
import type { Felt } from '../contract/client/felt.ts'
import { type OutsideWay, outsideWays } from '../terms/outside-execution.ts'
import { parseSignature } from './account-signature.ts'

export type Given = { readonly way: 'terms' | OutsideWay; readonly signature: readonly Felt[] }

/** `outside-execution-v2:1,2` is an offer, and without a name it is the signature over the terms. */
export function parseGiven(text: string): Given {
  const colon = text.indexOf(':')
  if (colon < 0) return { way: 'terms', signature: parseSignature(text) }
  const way = outsideWays.find((known) => known === text.slice(0, colon))
  if (way === undefined) throw new TandemError('bad_request', `offer is unknown: expected one of ${outsideWays.join(', ')}`)
  return { way, signature: parseSignature(text.slice(colon + 1)) }
}
