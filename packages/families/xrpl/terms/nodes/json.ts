/** Parses values in the answers of nodes. A value of another form makes the node unreachable. */
import { malformed, whole } from '@tandem/chain-kit/providers/json.ts'

export function hash(value: unknown): string {
  if (typeof value !== 'string' || !/^[0-9A-F]{64}$/.test(value)) throw malformed('a hash')
  return value
}

/** Nodes write amounts as text, and fee settings as numbers. */
export function drops(value: unknown): bigint {
  return typeof value === 'string' && /^\d{1,18}$/.test(value) ? BigInt(value) : whole(value)
}
