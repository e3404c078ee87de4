/** Parses values in the answers of nodes. A value of another form makes the node unreachable. */
import { type Address, type Base64EncodedBytes, getBase64Encoder, type ReadonlyUint8Array, type Signature } from '@solana/kit'
import { list, malformed, record, whole } from '@tandem/chain-kit/providers/json.ts'
import type { TransactionError } from '../../server/nodes/node.ts'

/** Methods that name the slot of their state answer in this form. */
export function valueIn(answer: unknown): unknown {
  return record(answer).value
}

/** JSON numbers above 2^53 are not exact. They become 2^53 - 1, which is nine million SOL and never more than the true amount. */
export function amount(value: unknown): bigint {
  if (typeof value === 'number' && value > Number.MAX_SAFE_INTEGER) return BigInt(Number.MAX_SAFE_INTEGER)
  return whole(value)
}

/** Only the form of an address or a blockhash is checked: to decode one takes a tenth of a millisecond. */
export function address(value: unknown): Address {
  if (typeof value !== 'string' || !/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(value)) throw malformed('32 bytes in base58')
  return value as Address
}

/** Only the form is checked: decoding takes a tenth of a millisecond. The transaction itself proves its signature. */
export function signature(value: unknown): Signature {
  if (typeof value !== 'string' || !/^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(value)) throw malformed('a signature')
  return value as Signature
}

export function base64(value: unknown): ReadonlyUint8Array {
  const [data, encoding] = list(value)
  if (typeof data !== 'string' || encoding !== 'base64') throw malformed('base64')
  try {
    return getBase64Encoder().encode(data as Base64EncodedBytes)
  } catch {
    throw malformed('base64')
  }
}

export function transactionError(value: unknown): TransactionError | null {
  return value === null || value === undefined || typeof value === 'string' ? (value ?? null) : record(value)
}
