/** Parses the JSON of nodes. A value of the wrong shape means a faulty node, not a bug here. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { malformed, text } from '@tandem/chain-kit/providers/json.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { type ParsedTransaction, parseTransaction } from '../script/transaction.ts'

export function parseJson(written: string): unknown {
  try {
    return JSON.parse(written)
  } catch (cause) {
    throw new ChainFailure('unreachable', `the node did not answer in JSON: "${written.slice(0, 80)}"`, { cause })
  }
}

export function asHash(value: unknown): string {
  const written = text(value)
  if (!/^[0-9a-f]{64}$/.test(written)) throw malformed('a hash', value)
  return written
}

export function asUint32(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 0xffff_ffff)
    throw malformed('a whole number of 32 bits', value)
  return value
}

export function asBits(value: unknown): number {
  const written = text(value)
  if (!/^[0-9a-f]{8}$/.test(written)) throw malformed('a compact target', value)
  return Number.parseInt(written, 16)
}

/** Nodes show the version of a block with or without a sign. */
export function asVersion(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) && value < 0 && value >= -0x8000_0000 ? value : asUint32(value)
}

/**
 * Coins in a JSON decimal number become satoshis exactly: below 21 million, doubles lie closer together than one satoshi, so the decimal
 * that was written is the only one with eight places that reads as this double, and `toFixed` finds it.
 */
export function asSatoshis(value: unknown): bigint {
  if (typeof value !== 'number' || !(value >= 0) || value > 21_000_000) throw malformed('an amount of bitcoin', value)
  return BigInt(value.toFixed(8).replace('.', ''))
}

/** The parser must be fast, because whole blocks come as hex. */
export function asBytes(value: unknown): Buffer {
  const written = text(value)
  const bytes = Buffer.from(written, 'hex')
  // `Buffer.from` stops silently at what is not hex.
  if (bytes.length * 2 !== written.length) throw malformed('hex', written)
  return bytes
}

export function asRawTransaction<T>(value: unknown, read: (bytes: Buffer) => T): T {
  const bytes = asBytes(value)
  return orUnexpected('a transaction', bytes.toString('hex', 0, 40), () => read(bytes))
}

export function asTransaction(value: unknown, network: Pick<BitcoinNetwork, 'mweb'>): ParsedTransaction {
  const written = text(value)
  return orUnexpected('a transaction', written, () => parseTransaction(written, network))
}

function orUnexpected<T>(expected: string, value: string, parse: () => T): T {
  try {
    return parse()
  } catch (cause) {
    throw malformed(expected, value, cause)
  }
}
