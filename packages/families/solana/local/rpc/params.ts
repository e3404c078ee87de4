// Reads the parameters of a request. An invalid one gives an error with code -32602.
import { type Address, getBase58Encoder, isAddress } from '@solana/kit'
import type { Commitment } from '../ledger.ts'
import { MAX_TRANSACTION_SIZE, readTransaction, type WireTransaction } from '../wire-transaction.ts'
import { invalidParams } from './rpc-error.ts'

export type Config = Readonly<Record<string, unknown>>

const commitments: readonly unknown[] = ['processed', 'confirmed', 'finalized'] satisfies Commitment[]
const base58 = getBase58Encoder()

export function configOf(value: unknown): Config {
  if (value === undefined || value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value))
    throw invalidParams(`Invalid params: invalid type: ${typeOf(value)}, expected an object.`)
  return value as Config
}

export function commitmentOf({ commitment }: Config): Commitment {
  if (commitment === undefined || commitment === null) return 'finalized'
  if (!commitments.includes(commitment))
    throw invalidParams(
      `Invalid params: unknown variant \`${String(commitment)}\`, expected one of \`processed\`, \`confirmed\`, \`finalized\`.`,
    )
  return commitment as Commitment
}

/** Nodes keep no history of blocks that are only processed. */
export function historyCommitmentOf(config: Config): Exclude<Commitment, 'processed'> {
  const commitment = commitmentOf(config)
  if (commitment === 'processed') throw invalidParams('Method does not support commitment below `confirmed`')
  return commitment
}

export function addressOf(value: unknown): Address {
  if (typeof value !== 'string') throw invalidParams(`Invalid params: invalid type: ${typeOf(value)}, expected a string.`)
  if (!isAddress(value)) throw invalidParams(`Invalid param: ${decodedLength(value) === null ? 'Invalid' : 'WrongSize'}`)
  return value
}

export function addressesOf(value: unknown, max: number): readonly Address[] {
  if (!Array.isArray(value)) throw invalidParams(`Invalid params: invalid type: ${typeOf(value)}, expected a sequence.`)
  if (value.length > max) throw invalidParams(`Too many inputs provided; max ${max}`)
  return value.map(addressOf)
}

export function signatureOf(value: unknown): string {
  if (typeof value !== 'string') throw invalidParams(`Invalid params: invalid type: ${typeOf(value)}, expected a string.`)
  const length = decodedLength(value)
  if (length !== 64) throw invalidParams(`Invalid param: ${length === null ? 'Invalid' : 'WrongSize'}`)
  return value
}

export function countOf(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw invalidParams(`Invalid params: invalid value: ${typeOf(value)}, expected u64.`)
  return value
}

export function optionalCountOf(value: unknown): number | undefined {
  return value === undefined || value === null ? undefined : countOf(value)
}

export function textOf(value: unknown): string {
  if (typeof value !== 'string') throw invalidParams(`Invalid params: invalid type: ${typeOf(value)}, expected a string.`)
  return value
}

export function bytesOf(text: string, encoding: unknown): Uint8Array {
  if (encoding === 'base64') {
    const bytes = Buffer.from(text, 'base64')
    if (bytes.toString('base64') !== text) throw invalidParams('invalid base64 encoding')
    return bytes
  }
  if (encoding !== undefined && encoding !== null && encoding !== 'base58')
    throw invalidParams(`unsupported encoding: ${String(encoding)}. Supported encodings: base58, base64`)
  try {
    return Uint8Array.from(base58.encode(text))
  } catch {
    throw invalidParams('invalid base58 encoding')
  }
}

export function transactionOf(value: unknown, { encoding }: Config): WireTransaction {
  const bytes = bytesOf(textOf(value), encoding)
  if (bytes.length > MAX_TRANSACTION_SIZE)
    throw invalidParams(
      `decoded solana_transaction::versioned::VersionedTransaction too large: ${bytes.length} bytes (max: ${MAX_TRANSACTION_SIZE} bytes)`,
    )
  try {
    return readTransaction(bytes)
  } catch (error) {
    throw invalidParams(
      `failed to deserialize solana_transaction::versioned::VersionedTransaction: ${error instanceof Error ? error.message : error}`,
    )
  }
}

function decodedLength(text: string): number | null {
  try {
    return base58.encode(text).length
  } catch {
    return null
  }
}

function typeOf(value: unknown): string {
  if (value === undefined || value === null) return 'null'
  if (Array.isArray(value)) return 'sequence'
  return typeof value === 'string' ? `string "${value}"` : `${typeof value} \`${String(value)}\``
}
