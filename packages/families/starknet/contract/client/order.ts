// Lays the terms of an order out in felts, and computes the id that follows from them.
import { type Felt, felt, poseidon } from './felt.ts'

export interface OrderTerms {
  readonly initiator: Felt
  readonly redeemer: Felt
  /** The timelock is in seconds from the block of the initiation. */
  readonly timelock: bigint
  readonly amount: bigint
  /** The hash is the SHA-256 of the 32-byte secret, as 64 hex digits. */
  readonly secretHash: string
}

/** One HTLC contract locks one token on one chain. */
export interface Deployment {
  /** The id is a felt: `shortString('SN_SEPOLIA')`. */
  readonly chainId: Felt
  readonly address: Felt
}

/** `initiated_at` answers with these for an order that is not open. Every other number is the block timestamp of the initiation. */
export const orderMarks = { neverInitiated: 0n, redeemed: 1n, refunded: 2n } as const

const wordCount = 8

/** The contract and typed data use eight big-endian 32-bit words for a secret or a hash. */
export function wordsOf(hex: string): readonly number[] {
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) throw new RangeError('a secret or a hash is 64 hex digits')
  return Array.from({ length: wordCount }, (_, index) => Number.parseInt(hex.slice(index * 8, (index + 1) * 8), 16))
}

/** The result is null if these are not eight 32-bit words. */
export function hexOfWords(words: readonly bigint[]): string | null {
  if (words.length !== wordCount || words.some((word) => word < 0n || word >= 2n ** 32n)) return null
  return words.map((word) => word.toString(16).padStart(8, '0')).join('')
}

export function wordFelts(hex: string): readonly Felt[] {
  return wordsOf(hex).map((word) => felt(BigInt(word)))
}

export function u128Felt(value: bigint): Felt {
  if (value < 0n || value >= 2n ** 128n) throw new RangeError(`${value} does not fit into 128 bits`)
  return felt(value)
}

export function u256Felts(value: bigint): readonly [low: Felt, high: Felt] {
  return [u128Felt(value & (2n ** 128n - 1n)), u128Felt(value >> 128n)]
}

/** The id depends only on the terms and the deployment: both parties know it before anything is on the chain. */
export function orderId({ chainId, address }: Deployment, terms: OrderTerms): Felt {
  const { initiator, redeemer, timelock, amount, secretHash } = terms
  return poseidon([...[chainId, address, initiator, redeemer, u128Felt(timelock)], ...u256Felts(amount), ...wordFelts(secretHash)])
}
