/** Parses values in the answers of nodes. A value of another form makes the node unreachable. */
import { ChainFailure } from '../port/failure.ts'

export type Json = Readonly<Record<string, unknown>>

export function record(value: unknown): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed('an object', value)
  return value as Json
}

export function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed('a list', value)
  return value
}

export function text(value: unknown): string {
  if (typeof value !== 'string') throw malformed('a text', value)
  return value
}

/** A height, a time or a sequence is always below 2^53. */
export function whole(value: unknown): bigint {
  return BigInt(number(value))
}

export function number(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw malformed('a whole number', value)
  return value
}

export function malformed(expected: string, value?: unknown, cause?: unknown): ChainFailure {
  const got = value === undefined ? '' : `, got ${String(JSON.stringify(value)).slice(0, 80)}`
  return new ChainFailure('unreachable', `the node's answer is malformed: expected ${expected}${got}`, { cause })
}
