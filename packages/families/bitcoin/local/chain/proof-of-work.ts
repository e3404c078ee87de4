// Computes compact difficulty targets and the work that they stand for, and searches for a nonce.
import type { BitcoinNetwork } from '../network.ts'
import { toDisplayHash } from '../wire/bytes.ts'
import { type BlockHeader, serializeHeader } from './block.ts'

export function targetOf(bits: number): bigint {
  const exponent = bits >>> 24
  const mantissa = BigInt(bits & 0x7fffff)
  return exponent <= 3 ? mantissa >> BigInt(8 * (3 - exponent)) : mantissa << BigInt(8 * (exponent - 3))
}

export function workOf(bits: number): bigint {
  return (1n << 256n) / (targetOf(bits) + 1n)
}

/** Bitcoin Core computes and prints the difficulty in floating point with 16 digits. The number is for display only. */
export function difficultyOf(bits: number): number {
  let difficulty = 0x0000ffff / (bits & 0x00ffffff)
  for (let shift = bits >>> 24; shift < 29; shift++) difficulty *= 256
  for (let shift = bits >>> 24; shift > 29; shift--) difficulty /= 256
  return Number(difficulty.toPrecision(16))
}

function hashMeetsTarget(header: Uint8Array, target: bigint, network: BitcoinNetwork): boolean {
  return BigInt(`0x${toDisplayHash(network.powHash(header))}`) <= target
}

export function meetsTarget(header: BlockHeader, network: BitcoinNetwork): boolean {
  return hashMeetsTarget(serializeHeader(header), targetOf(header.bits), network)
}

const NONCE_OFFSET = 76

export function solve(header: BlockHeader, network: BitcoinNetwork): BlockHeader {
  const bytes = serializeHeader(header)
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const target = targetOf(header.bits)
  for (let nonce = 0; nonce <= 0xffffffff; nonce++) {
    view.setUint32(NONCE_OFFSET, nonce, true)
    if (hashMeetsTarget(bytes, target, network)) return { ...header, nonce }
  }
  throw new Error('no nonce solves this header')
}
