/** Parses the JSON of nodes. A value of the wrong shape means a faulty node, not a bug here. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { type ParsedTransaction, parseTransaction } from '../script/transaction.ts'

export type JsonRecord = Readonly<Record<string, unknown>>

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ChainFailure('unreachable', `the node did not answer in JSON: "${text.slice(0, 80)}"`, { cause })
  }
}

export function asRecord(value: unknown): JsonRecord {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unexpected('an object', value)
  return value as JsonRecord
}

export function asArray(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw unexpected('an array', value)
  return value
}

export function asString(value: unknown): string {
  if (typeof value !== 'string') throw unexpected('a string', value)
  return value
}

/** Hashes and ids: 64 lower-case hex characters. */
export function asHash(value: unknown): string {
  const text = asString(value)
  if (!/^[0-9a-f]{64}$/.test(text)) throw unexpected('a hash', value)
  return text
}

export function asInteger(value: unknown): bigint {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw unexpected('a whole number', value)
  return BigInt(value)
}

/** A field of a block header. */
export function asUint32(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 0xffff_ffff)
    throw unexpected('a whole number of 32 bits', value)
  return value
}

/** A compact target as Bitcoin Core writes it: eight hex characters. */
export function asBits(value: unknown): number {
  const text = asString(value)
  if (!/^[0-9a-f]{8}$/.test(text)) throw unexpected('a compact target', value)
  return Number.parseInt(text, 16)
}

/** The version of a block: nodes show it with or without a sign. */
export function asVersion(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) && value < 0 && value >= -0x8000_0000 ? value : asUint32(value)
}

/**
 * Coins as a JSON decimal number to satoshis. Exact: below 21 million, doubles lie closer together than one satoshi,
 * so the decimal that was written is the only one with eight places that reads as this double, and `toFixed` finds it.
 */
export function asSatoshis(value: unknown): bigint {
  if (typeof value !== 'number' || !(value >= 0) || value > 21_000_000) throw unexpected('an amount of bitcoin', value)
  return BigInt(value.toFixed(8).replace('.', ''))
}

/** Fast: whole blocks come as hex. */
export function asBytes(value: unknown): Buffer {
  const text = asString(value)
  const bytes = Buffer.from(text, 'hex')
  // `Buffer.from` stops silently at what is not hex.
  if (bytes.length * 2 !== text.length) throw unexpected('hex', text)
  return bytes
}

/** For callers that need only a part of the transaction. */
export function asRawTransaction<T>(value: unknown, read: (bytes: Buffer) => T): T {
  const bytes = asBytes(value)
  return orUnexpected('a transaction', bytes.toString('hex', 0, 40), () => read(bytes))
}

export function asTransaction(value: unknown, network: Pick<BitcoinNetwork, 'mweb'>): ParsedTransaction {
  const text = asString(value)
  return orUnexpected('a transaction', text, () => parseTransaction(text, network))
}

function orUnexpected<T>(expected: string, value: string, parse: () => T): T {
  try {
    return parse()
  } catch (cause) {
    throw unexpected(expected, value, cause)
  }
}

function unexpected(expected: string, value: unknown, cause?: unknown): ChainFailure {
  const got = String(JSON.stringify(value)).slice(0, 80)
  return new ChainFailure('unreachable', `the node's answer is malformed: expected ${expected}, got ${got}`, { cause })
}
