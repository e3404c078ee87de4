/** Parses values in the answers of nodes. A value of another form makes the node unreachable. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { fieldPrime } from '../../contract/client/felt.ts'
import type { Felt } from './node.ts'

export type Json = Readonly<Record<string, unknown>>

export function record(value: unknown): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed('an object')
  return value as Json
}

export function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed('a list')
  return value
}

export function text(value: unknown): string {
  if (typeof value !== 'string') throw malformed('a text')
  return value
}

/** Without leading zeros, whatever the node writes. */
export function felt(value: unknown): Felt {
  const digits = typeof value === 'string' ? /^0x0*([0-9a-f]{1,63})$/i.exec(value)?.[1] : undefined
  if (digits === undefined) throw malformed('a field element')
  const canonical: Felt = `0x${digits.toLowerCase()}`
  // Elements of fewer than 63 digits are below the prime.
  if (digits.length === 63 && BigInt(canonical) >= fieldPrime) throw malformed('a field element')
  return canonical
}

export function felts(value: unknown): readonly Felt[] {
  return list(value).map(felt)
}

/** A number that nodes write in hex: gas, prices, nonces. */
export function quantity(value: unknown): bigint {
  return BigInt(felt(value))
}

/** A height or a time, which nodes write as a JSON number: always below 2^53. */
export function whole(value: unknown): bigint {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw malformed('a whole number')
  return BigInt(value)
}

export function malformed(expected: string): ChainFailure {
  return new ChainFailure('unreachable', `the node's answer is malformed: expected ${expected}`)
}
