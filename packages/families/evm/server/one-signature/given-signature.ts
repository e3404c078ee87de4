/** Parses what the user gave: a signature over the terms, or the name of an offered way and what it asks to sign. */

import { TandemError } from '@tandem/protocol/error.ts'
import type { Hex } from 'viem'
import { signatureWays } from '../../terms/one-signature.ts'
import { parseSignature } from '../gasless.ts'

export type Given =
  | { readonly way: 'terms'; readonly signature: Hex }
  | { readonly way: 'authorization'; readonly signature: Hex }
  | { readonly way: 'permit2'; readonly signature: Hex }
  | { readonly way: 'permit'; readonly permit: Hex; readonly signature: Hex }

/** `permit:0x…,0x…` is the permit, then the signature over the terms. Without a name it is the latter alone. */
export function parseGiven(text: string): Given {
  const [named, rest] = splitName(text)
  if (named === null) return { way: 'terms', signature: parseSignature(rest) }
  const way = signatureWays.find((known) => known === named)
  if (way === undefined) throw new TandemError('bad_request', `offer is unknown: expected one of ${signatureWays.join(', ')}`)
  if (way !== 'permit') return { way, signature: parseSignature(rest) }
  const [permit = '', signature, ...others] = rest.split(',')
  if (signature === undefined || others.length > 0)
    throw new TandemError('invalid_signature', 'signature must be two for a permit: over the permit, and over the terms, in an array')
  return { way, permit: parseSignature(permit), signature: parseSignature(signature) }
}

function splitName(text: string): readonly [name: string | null, rest: string] {
  const colon = text.indexOf(':')
  return colon < 0 ? [null, text] : [text.slice(0, colon), text.slice(colon + 1)]
}
