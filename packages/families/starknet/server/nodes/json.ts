/** Parses values in the answers of nodes. A value of another form makes the node unreachable. */

import { list, malformed } from '@tandem/chain-kit/providers/json.ts'
import { fieldPrime } from '../../contract/client/felt.ts'
import type { Felt } from './node.ts'

/** The result has no leading zeros. */
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

/** Nodes write gas, prices and nonces in hex. */
export function quantity(value: unknown): bigint {
  return BigInt(felt(value))
}
