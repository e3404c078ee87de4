/** Parses values in the answers of nodes. A value of another form makes the node unreachable. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'

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

/** Of a ledger or a transaction. */
export function hash(value: unknown): string {
  if (typeof value !== 'string' || !/^[0-9A-F]{64}$/.test(value)) throw malformed('a hash')
  return value
}

/** Drops, as a text or a JSON number: nodes write amounts as text, and fee settings as numbers. */
export function drops(value: unknown): bigint {
  return typeof value === 'string' && /^\d{1,18}$/.test(value) ? BigInt(value) : whole(value)
}

/** A height, a time, a sequence: always below 2^53. */
export function whole(value: unknown): bigint {
  return BigInt(number(value))
}

export function number(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw malformed('a whole number')
  return value
}

export function malformed(expected: string): ChainFailure {
  return new ChainFailure('unreachable', `the node's answer is malformed: expected ${expected}`)
}
